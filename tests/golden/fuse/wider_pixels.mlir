// RUN: simplify | fuse
// Pixels four times as wide: each of the four has other weights, and three colours. Lanes go along the pixels that they are made of, not along twelve numbers of which each is another sum.
func.func @main(%x: tensor<101x3xf32>) -> tensor<400x3xf32> {
  %a = stablehlo.slice %x [0:100, 0:3] : (tensor<101x3xf32>) -> tensor<100x3xf32>
  %b = stablehlo.slice %x [1:101, 0:3] : (tensor<101x3xf32>) -> tensor<100x3xf32>
  %0 = stablehlo.add %a, %b : tensor<100x3xf32>
  %1 = stablehlo.subtract %a, %b : tensor<100x3xf32>
  %2 = stablehlo.multiply %a, %b : tensor<100x3xf32>
  %s = stablehlo.maximum %a, %b : tensor<100x3xf32>
  %t = stablehlo.minimum %a, %b : tensor<100x3xf32>
  %u = stablehlo.divide %s, %t : tensor<100x3xf32>
  %3 = stablehlo.sqrt %u : tensor<100x3xf32>
  %4 = stablehlo.reshape %0 : (tensor<100x3xf32>) -> tensor<100x1x3xf32>
  %5 = stablehlo.reshape %1 : (tensor<100x3xf32>) -> tensor<100x1x3xf32>
  %6 = stablehlo.reshape %2 : (tensor<100x3xf32>) -> tensor<100x1x3xf32>
  %7 = stablehlo.reshape %3 : (tensor<100x3xf32>) -> tensor<100x1x3xf32>
  %8 = stablehlo.concatenate %4, %5, %6, %7, dim = 1 : (tensor<100x1x3xf32>, tensor<100x1x3xf32>, tensor<100x1x3xf32>, tensor<100x1x3xf32>) -> tensor<100x4x3xf32>
  %9 = stablehlo.reshape %8 : (tensor<100x4x3xf32>) -> tensor<400x3xf32>
  return %9 : tensor<400x3xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 8400 bytes never written) {
  %in0 : f32[303]
  %out0 : f32[1200]
  kernel k0_reshape_400x3 {
    parallel lanes i : 100 by 16 {
      v1 = load %in0[3 i] f32
      v2 = load %in0[3 i + 3] f32
      v3 = add v1, v2 f32
      v4 = load %in0[3 i + 1] f32
      v5 = load %in0[3 i + 4] f32
      v6 = add v4, v5 f32
      v7 = load %in0[3 i + 2] f32
      v8 = load %in0[3 i + 5] f32
      v9 = add v7, v8 f32
      v10 = subtract v1, v2 f32
      v11 = subtract v4, v5 f32
      v12 = subtract v7, v8 f32
      v13 = multiply v1, v2 f32
      v14 = multiply v4, v5 f32
      v15 = multiply v7, v8 f32
      v16 = maximum v1, v2 f32
      v17 = minimum v1, v2 f32
      v18 = divide v16, v17 f32
      v19 = sqrt v18 f32
      v20 = maximum v4, v5 f32
      v21 = minimum v4, v5 f32
      v22 = divide v20, v21 f32
      v23 = sqrt v22 f32
      v24 = maximum v7, v8 f32
      v25 = minimum v7, v8 f32
      v26 = divide v24, v25 f32
      v27 = sqrt v26 f32
      store %out0[12 i] v3
      store %out0[12 i + 1] v6
      store %out0[12 i + 2] v9
      store %out0[12 i + 3] v10
      store %out0[12 i + 4] v11
      store %out0[12 i + 5] v12
      store %out0[12 i + 6] v13
      store %out0[12 i + 7] v14
      store %out0[12 i + 8] v15
      store %out0[12 i + 9] v19
      store %out0[12 i + 10] v23
      store %out0[12 i + 11] v27
    }
  }
}
