// RUN: fuse strict
// 64 accumulators, folded in halves: eager mode's order.
func.func @main(%x: tensor<30x200xf32>) -> tensor<30xf32> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<30x200xf32>, tensor<f32>) -> tensor<30xf32>
  return %0 : tensor<30xf32>
}
// ----- becomes
program main (strict; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[6000]
  %out0 : f32[30]
  kernel k0_reduce_30 {
    parallel i : 30 {
      v1 = reducer add f32
      lanes j : 200 by 16 x 4 {
        v3 = load %in0[200 i + j] f32
        fold v1 v3
      }
      v6 = total v1 f32
      store %out0[i] v6
    }
  }
}
