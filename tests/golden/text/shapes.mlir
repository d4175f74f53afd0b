// RUN: print
func.func @main(%x: tensor<3x4xf32>, %c: tensor<f32>, %i: tensor<i32>) -> tensor<2x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x3xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.slice %1 [0:2, 1:6:2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.reverse %2, dims = [1, 0] : tensor<2x3xf32>
  %4 = stablehlo.pad %3, %c, low = [0, -1], high = [1, 1], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x7xf32>
  %5 = stablehlo.concatenate %4, %4, dim = 0 : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<6x7xf32>
  %6 = stablehlo.iota dim = 1 : tensor<6x7xf32>
  %7 = stablehlo.add %5, %6 : tensor<6x7xf32>
  %8 = stablehlo.dynamic_slice %7, %i, %i, sizes = [2, 2] : (tensor<6x7xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return %8 : tensor<2x2xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xf32>, %arg1: tensor<f32>, %i: tensor<i32>) -> tensor<2x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x3xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.slice %1 [0:2, 1:6:2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.reverse %2, dims = [0, 1] : tensor<2x3xf32>
  %4 = stablehlo.pad %3, %arg1, low = [0, -1], high = [1, 1], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x7xf32>
  %5 = stablehlo.concatenate %4, %4, dim = 0 : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<6x7xf32>
  %6 = stablehlo.iota dim = 1 : tensor<6x7xf32>
  %7 = stablehlo.add %5, %6 : tensor<6x7xf32>
  %8 = stablehlo.dynamic_slice %7, %i, %i, sizes = [2, 2] : (tensor<6x7xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return %8 : tensor<2x2xf32>
}
