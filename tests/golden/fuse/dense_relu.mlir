// RUN: simplify | fuse
// A product in 8 x 2 registers; bias and relu are done on them before they are stored.
func.func @main(%x: tensor<64x100xf32>, %w: tensor<100x128xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x100xf32>, tensor<100x128xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x128xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<64x128xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 65536 bytes never written) {
  %in0 : f32[6400]
  %in1 : f32[12800]
  %in2 : f32[128]
  %out0 : f32[8192]
  kernel k0_max_64x128 {
    v0 = 0 f32
    parallel tile i : 64 x 8 {
      lanes j : 128 by 16 x 2 {
        v3 = reducer add f32
        loop k : 100 {
          v5 = load %in0[100 i + k] f32
          v6 = load %in1[j + 128 k] f32
          v7 = multiply v5, v6 f32
          fold v3 v7
        }
        v10 = total v3 f32
        v11 = load %in2[j] f32
        v12 = add v10, v11 f32
        v13 = maximum v12, v0 f32
        store %out0[128 i + j] v13
      }
    }
  }
}
