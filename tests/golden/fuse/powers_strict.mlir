// RUN: simplify | fuse strict
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %two = stablehlo.constant dense<2.000000e+00> : tensor<64xf32>
  %three = stablehlo.constant dense<3.000000e+00> : tensor<64xf32>
  %0 = stablehlo.power %x, %two : tensor<64xf32>
  %1 = stablehlo.power %x, %three : tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}
// ----- becomes
program main (strict; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[64]
  %out0 : f32[64]
  %out1 : f32[64]
  kernel k0_pow_64 {
    v0 = 3 f32
    parallel lanes i : 64 by 16 x 2 {
      v2 = load %in0[i] f32
      v3 = power v2, v0 f32
      store %out1[i] v3
      v5 = multiply v2, v2 f32
      store %out0[i] v5
    }
  }
}
