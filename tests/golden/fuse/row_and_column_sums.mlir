// RUN: fuse
// Sums of rows want their lanes along them, sums of columns across: two kernels.
func.func @both(%x: tensor<200x200xf32>) -> tensor<200xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<200x200xf32>, tensor<f32>) -> tensor<200xf32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<200x200xf32>, tensor<f32>) -> tensor<200xf32>
  %2 = stablehlo.add %0, %1 : tensor<200xf32>
  return %2 : tensor<200xf32>
}
// ----- becomes
program both (default; 832 bytes of scratch; 800 bytes never written) {
  %in0 : f32[40000]
  %out0 : f32[200]
  %temp2 : f32[200] at 0
  kernel k0_reduce_200 {
    parallel lanes i : 200 by 16 x 8 {
      v1 = reducer add f32
      loop j : 200 {
        v3 = load %in0[i + 200 j] f32
        fold v1 v3
      }
      v6 = total v1 f32
      store %temp2[i] v6
    }
  }
  kernel k1_add_200 {
    parallel i : 200 {
      v1 = reducer add f32
      lanes j : 200 by 16 x 4 {
        v3 = load %in0[200 i + j] f32
        fold v1 v3
      }
      v6 = load %temp2[i] f32
      v7 = total v1 f32
      v8 = add v6, v7 f32
      store %out0[i] v8
    }
  }
}
