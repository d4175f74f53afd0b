// RUN: fuse
// Sums of columns are taken in lanes and go from there into the maximum: one kernel, and no array in between.
func.func @main(%x: tensor<40x30x64xf32>) -> tensor<40xf32> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<40x30x64xf32>, tensor<f32>) -> tensor<40x64xf32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<40x64xf32>, tensor<f32>) -> tensor<40xf32>
  return %1 : tensor<40xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 10240 bytes never written) {
  %in0 : f32[76800]
  %out0 : f32[40]
  kernel k0_reduce_40 {
    parallel i : 40 {
      v1 = reducer maximum f32
      lanes j : 64 by 16 x 4 {
        v3 = reducer add f32
        loop k : 30 {
          v5 = load %in0[1920 i + j + 64 k] f32
          fold v3 v5
        }
        v8 = total v3 f32
        fold v1 v8
      }
      v11 = total v1 f32
      store %out0[i] v11
    }
  }
}
