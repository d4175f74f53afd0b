// RUN: simplify | fuse
// Parts that are shorter than a vector, one behind the other in each row, with an op behind: lanes go along whole rows, not along one part's four numbers.
func.func @main(%x: tensor<100x2x4xf32>, %y: tensor<100x2x4xf32>) -> tensor<100x4x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<100x2x4xf32>
  %1 = stablehlo.multiply %y, %y : tensor<100x2x4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<100x2x4xf32>, tensor<100x2x4xf32>) -> tensor<100x4x4xf32>
  %3 = stablehlo.negate %2 : tensor<100x4x4xf32>
  return %3 : tensor<100x4x4xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 6400 bytes never written) {
  %in0 : f32[800]
  %in1 : f32[800]
  %out0 : f32[1600]
  kernel k0_neg_100x4x4 {
    v0 = 8 i32
    parallel i : 100 {
      lanes j : 16 by 16 x 4 {
        v3 = j i32
        v4 = compare ge v3, v0 bool
        v5 = load %in1[8 i + j - 8] if v4 f32
        v6 = multiply v5, v5 f32
        v7 = compare lt v3, v0 bool
        v8 = load %in0[8 i + j] if v7 f32
        v9 = add v8, v8 f32
        v10 = select v7, v9, v6 f32
        v11 = negate v10 f32
        store %out0[16 i + j] v11
      }
    }
  }
}
