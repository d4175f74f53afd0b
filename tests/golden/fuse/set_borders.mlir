// RUN: fuse
// A periodic border of a grid, side by side: each side is written where the grid was computed, the rest is not copied; in a loop grid and carry exchange names.
func.func @steps(%p: tensor<258x258xf32>) -> tensor<258x258xf32> {
  %0 = stablehlo.composite "weft.scan" %p {composite_attributes = {body = @step, carries = 1 : i64, invariants = 0 : i64, length = 20 : i64, reverse = false, unroll = 1 : i64}, decomposition = @step} : (tensor<258x258xf32>) -> tensor<258x258xf32>
  return %0 : tensor<258x258xf32>
}
func.func private @step(%p: tensor<258x258xf32>) -> tensor<258x258xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<257> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<256x256xf32>
  %above = stablehlo.slice %p [0:256, 1:257] : (tensor<258x258xf32>) -> tensor<256x256xf32>
  %below = stablehlo.slice %p [2:258, 1:257] : (tensor<258x258xf32>) -> tensor<256x256xf32>
  %sum = stablehlo.add %above, %below : tensor<256x256xf32>
  %mean = stablehlo.multiply %sum, %half : tensor<256x256xf32>
  %0 = stablehlo.dynamic_update_slice %p, %mean, %one, %one : (tensor<258x258xf32>, tensor<256x256xf32>, tensor<i32>, tensor<i32>) -> tensor<258x258xf32>
  %last = stablehlo.slice %0 [256:257, 0:258] : (tensor<258x258xf32>) -> tensor<1x258xf32>
  %1 = stablehlo.dynamic_update_slice %0, %last, %zero, %zero : (tensor<258x258xf32>, tensor<1x258xf32>, tensor<i32>, tensor<i32>) -> tensor<258x258xf32>
  %first = stablehlo.slice %1 [1:2, 0:258] : (tensor<258x258xf32>) -> tensor<1x258xf32>
  %2 = stablehlo.dynamic_update_slice %1, %first, %end, %zero : (tensor<258x258xf32>, tensor<1x258xf32>, tensor<i32>, tensor<i32>) -> tensor<258x258xf32>
  %right = stablehlo.slice %2 [0:258, 256:257] : (tensor<258x258xf32>) -> tensor<258x1xf32>
  %3 = stablehlo.dynamic_update_slice %2, %right, %zero, %zero : (tensor<258x258xf32>, tensor<258x1xf32>, tensor<i32>, tensor<i32>) -> tensor<258x258xf32>
  %left = stablehlo.slice %3 [0:258, 1:2] : (tensor<258x258xf32>) -> tensor<258x1xf32>
  %4 = stablehlo.dynamic_update_slice %3, %left, %zero, %end : (tensor<258x258xf32>, tensor<258x1xf32>, tensor<i32>, tensor<i32>) -> tensor<258x258xf32>
  return %4 : tensor<258x258xf32>
}
// ----- becomes
program steps (default; 266304 bytes of scratch; 15810880 bytes never written) {
  %in0 : f32[66564]
  %out0 : f32[66564]
  %temp2 : f32[66564] at 0
  kernel k0_start {
    parallel lanes i : 66564 by 16 x 4 {
      v1 = load %in0[i] f32
      store %out0[i] v1
    }
  }
  loop c0 : 20 {
    kernel k1_dynamic_update_slice_258x258 {
      v0 = load %out0[0] f32
      store %temp2[0] v0
      v2 = load %out0[257] f32
      store %temp2[257] v2
      v4 = 0.5 f32
      v5 = load %out0[66306] f32
      store %temp2[66306] v5
      v7 = load %out0[66563] f32
      store %temp2[66563] v7
      lanes i : 256 by 16 x 4 {
        v10 = load %out0[i + 1] f32
        store %temp2[i + 1] v10
        v12 = load %out0[i + 66307] f32
        store %temp2[i + 66307] v12
      }
      parallel i : 256 {
        v16 = load %out0[258 i + 258] f32
        store %temp2[258 i + 258] v16
        v18 = load %out0[258 i + 515] f32
        store %temp2[258 i + 515] v18
        lanes j : 256 by 16 x 4 {
          v21 = load %out0[258 i + j + 1] f32
          v22 = load %out0[258 i + j + 517] f32
          v23 = add v21, v22 f32
          v24 = multiply v23, v4 f32
          store %temp2[258 i + j + 259] v24
        }
      }
    }
    kernel k2_dynamic_update_slice_258x258 {
      lanes i : 258 by 16 x 4 {
        v1 = load %temp2[i + 66048] f32
        store %temp2[i] v1
        v3 = load %temp2[i + 258] f32
        store %temp2[i + 66306] v3
      }
    }
    kernel k3_dynamic_update_slice_258x258 {
      parallel i : 258 {
        v1 = load %temp2[258 i + 256] f32
        store %temp2[258 i] v1
      }
    }
    kernel k4_dynamic_update_slice_258x258 {
      parallel i : 258 {
        v1 = load %temp2[258 i + 1] f32
        store %temp2[258 i + 257] v1
      }
    }
    swap %out0 %temp2
  }
}
