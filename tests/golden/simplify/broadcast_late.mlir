// RUN: simplify
// What does not vary along an axis is computed without it; x - y varies along both and stays.
func.func @main(%x: tensor<4xf32>, %y: tensor<1x3xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %c = stablehlo.constant dense<2.000000e+00> : tensor<3x4xf32>
  %1 = stablehlo.multiply %0, %c : tensor<3x4xf32>
  %2 = stablehlo.exponential %1 : tensor<3x4xf32>
  %3 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.sqrt %4 : tensor<4x3xf32>
  %6 = stablehlo.subtract %3, %5 : tensor<4x3xf32>
  return %2, %6 : tensor<3x4xf32>, tensor<4x3xf32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %y: tensor<1x3xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>) {
  %cst = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %cst : tensor<4xf32>
  %1 = stablehlo.exponential %0 : tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.reshape %y : (tensor<1x3xf32>) -> tensor<3xf32>
  %5 = stablehlo.sqrt %4 : tensor<3xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %7 = stablehlo.subtract %3, %6 : tensor<4x3xf32>
  return %2, %7 : tensor<3x4xf32>, tensor<4x3xf32>
}
