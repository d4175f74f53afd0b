// RUN: simplify | fuse
// Taps two elements apart, of rows with a border and too short to be cut: lanes would gather each under its mask, so the rows are stored with their border
func.func @main(%x: tensor<100x40xf32>) -> tensor<100x20xf32> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %p = stablehlo.pad %x, %zero, low = [0, 3], high = [0, 3], interior = [0, 0] : (tensor<100x40xf32>, tensor<f32>) -> tensor<100x46xf32>
  %0 = stablehlo.slice %p [0:100, 0:39:2] : (tensor<100x46xf32>) -> tensor<100x20xf32>
  %1 = stablehlo.slice %p [0:100, 1:40:2] : (tensor<100x46xf32>) -> tensor<100x20xf32>
  %2 = stablehlo.slice %p [0:100, 2:41:2] : (tensor<100x46xf32>) -> tensor<100x20xf32>
  %3 = stablehlo.slice %p [0:100, 3:42:2] : (tensor<100x46xf32>) -> tensor<100x20xf32>
  %4 = stablehlo.slice %p [0:100, 4:43:2] : (tensor<100x46xf32>) -> tensor<100x20xf32>
  %5 = stablehlo.slice %p [0:100, 5:44:2] : (tensor<100x46xf32>) -> tensor<100x20xf32>
  %6 = stablehlo.slice %p [0:100, 6:45:2] : (tensor<100x46xf32>) -> tensor<100x20xf32>
  %7 = stablehlo.slice %p [0:100, 7:46:2] : (tensor<100x46xf32>) -> tensor<100x20xf32>
  %8 = stablehlo.maximum %0, %1 : tensor<100x20xf32>
  %9 = stablehlo.maximum %8, %2 : tensor<100x20xf32>
  %10 = stablehlo.maximum %9, %3 : tensor<100x20xf32>
  %11 = stablehlo.maximum %10, %4 : tensor<100x20xf32>
  %12 = stablehlo.maximum %11, %5 : tensor<100x20xf32>
  %13 = stablehlo.maximum %12, %6 : tensor<100x20xf32>
  %14 = stablehlo.maximum %13, %7 : tensor<100x20xf32>
  return %14 : tensor<100x20xf32>
}
// ----- becomes
program main (default; 18432 bytes of scratch; 48000 bytes never written) {
  %in0 : f32[4000]
  %out0 : f32[2000]
  %temp2 : f32[4600] at 0
  kernel k0_pad_100x46 {
    v0 = 0 f32
    parallel i : 100 {
      lanes j : 3 by 16 x 4 {
        store %temp2[46 i + j] v0
        store %temp2[46 i + j + 43] v0
      }
      lanes j : 40 by 16 x 4 {
        v7 = load %in0[40 i + j] f32
        store %temp2[46 i + j + 3] v7
      }
    }
  }
  kernel k1_max_100x20 {
    parallel i : 100 {
      lanes j : 20 by 16 x 4 {
        v2 = load %temp2[46 i + 2 j] f32
        v3 = load %temp2[46 i + 2 j + 1] f32
        v4 = maximum v2, v3 f32
        v5 = load %temp2[46 i + 2 j + 2] f32
        v6 = maximum v4, v5 f32
        v7 = load %in0[40 i + 2 j] f32
        v8 = maximum v6, v7 f32
        v9 = load %in0[40 i + 2 j + 1] f32
        v10 = maximum v8, v9 f32
        v11 = load %temp2[46 i + 2 j + 5] f32
        v12 = maximum v10, v11 f32
        v13 = load %temp2[46 i + 2 j + 6] f32
        v14 = maximum v12, v13 f32
        v15 = load %temp2[46 i + 2 j + 7] f32
        v16 = maximum v14, v15 f32
        store %out0[20 i + j] v16
      }
    }
  }
}
