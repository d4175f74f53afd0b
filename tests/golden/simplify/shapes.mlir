// RUN: simplify
// Moves of moves become one, or none.
func.func @main(%x: tensor<3x4xf32>, %s: tensor<f32>) -> (tensor<3x4xf32>, tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<12xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [2, 1] : (tensor<4x3xf32>) -> tensor<2x3x4xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3x4xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %5 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<2x6xf32>
  %6 = stablehlo.reshape %5 : (tensor<2x6xf32>) -> tensor<12xf32>
  %7 = stablehlo.reverse %x, dims = [0, 1] : tensor<3x4xf32>
  %8 = stablehlo.reverse %7, dims = [0] : tensor<3x4xf32>
  return %1, %2, %4, %6, %8 : tensor<3x4xf32>, tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<12xf32>, tensor<3x4xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xf32>, %s: tensor<f32>) -> (tensor<3x4xf32>, tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<12xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
  %2 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<12xf32>
  %3 = stablehlo.reverse %x, dims = [1] : tensor<3x4xf32>
  return %x, %0, %1, %2, %3 : tensor<3x4xf32>, tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<12xf32>, tensor<3x4xf32>
}
