// RUN: simplify | fuse
// A chain is one loop; both axes are one; both outputs are stored where they are computed.
func.func @main(%x: tensor<64x50xf32>, %y: tensor<64x50xf32>) -> (tensor<64x50xf32>, tensor<64x50xf32>) {
  %0 = stablehlo.add %x, %y : tensor<64x50xf32>
  %1 = stablehlo.maximum %0, %x : tensor<64x50xf32>
  %2 = stablehlo.multiply %1, %y : tensor<64x50xf32>
  return %1, %2 : tensor<64x50xf32>, tensor<64x50xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 12800 bytes never written) {
  %in0 : f32[3200]
  %in1 : f32[3200]
  %out0 : f32[3200]
  %out1 : f32[3200]
  kernel k0_mul_64x50 {
    parallel lanes i : 3200 by 16 x 4 {
      v1 = load %in0[i] f32
      v2 = load %in1[i] f32
      v3 = add v1, v2 f32
      v4 = maximum v3, v1 f32
      store %out0[i] v4
      v6 = multiply v4, v2 f32
      store %out1[i] v6
    }
  }
}
