// RUN: fuse
// Lanes and tile go along the columns, so that loads read neighbours.
func.func @main(%x: tensor<300x200xf32>) -> tensor<200xf32> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300x200xf32>, tensor<f32>) -> tensor<200xf32>
  return %0 : tensor<200xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[60000]
  %out0 : f32[200]
  kernel k0_reduce_200 {
    parallel lanes i : 200 by 16 x 8 {
      v1 = reducer add f32
      loop j : 300 {
        v3 = load %in0[i + 200 j] f32
        fold v1 v3
      }
      v6 = total v1 f32
      store %out0[i] v6
    }
  }
}
