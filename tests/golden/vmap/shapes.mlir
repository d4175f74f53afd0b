// RUN: vmap 8
func.func @main(%x: tensor<3x4xf32>, %c: tensor<f32>) -> tensor<9x4xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.reverse %1, dims = [0] : tensor<3x4xf32>
  %3 = stablehlo.slice %2 [0:3, 0:4:2] : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %4 = stablehlo.pad %3, %c, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x4xf32>
  %5 = stablehlo.concatenate %1, %4, %2, dim = 0 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  return %5 : tensor<9x4xf32>
}
// ----- becomes
func.func @main(%x: tensor<8x3x4xf32>, %arg1: tensor<8xf32>) -> tensor<8x9x4xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<8x3x4xf32>) -> tensor<8x4x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x4x3xf32>) -> tensor<8x3x4xf32>
  %2 = stablehlo.reverse %1, dims = [1] : tensor<8x3x4xf32>
  %3 = stablehlo.slice %1 [0:8, 0:3, 0:4:2] : (tensor<8x3x4xf32>) -> tensor<8x3x2xf32>
  %4 = stablehlo.reverse %3, dims = [1] : tensor<8x3x2xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %c = stablehlo.constant dense<false> : tensor<i1>
  %c_0 = stablehlo.constant dense<true> : tensor<3x2xi1>
  %5 = stablehlo.pad %c_0, %c, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<3x4xi1>
  %6 = stablehlo.pad %4, %cst, low = [0, 0, 1], high = [0, 0, 0], interior = [0, 0, 1] : (tensor<8x3x2xf32>, tensor<f32>) -> tensor<8x3x4xf32>
  %7 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xf32>) -> tensor<8x3x4xf32>
  %8 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<8x3x4xi1>
  %9 = stablehlo.select %8, %6, %7 : tensor<8x3x4xi1>, tensor<8x3x4xf32>
  %10 = stablehlo.concatenate %1, %9, %2, dim = 1 : (tensor<8x3x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x9x4xf32>
  return %10 : tensor<8x9x4xf32>
}
