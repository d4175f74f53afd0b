// RUN: simplify
// Two operands that are broadcast differently, and neither along the last axis.
func.func @main(%x: tensor<5xf32>, %y: tensor<6xf32>) -> tensor<5x6x7xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<5xf32>) -> tensor<5x6x7xf32>
  %1 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<6xf32>) -> tensor<5x6x7xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<5x6x7xf32>
  %3 = stablehlo.abs %2 : tensor<5x6x7xf32>
  return %3 : tensor<5x6x7xf32>
}
// ----- becomes
func.func @main(%x: tensor<5xf32>, %y: tensor<6xf32>) -> tensor<5x6x7xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<5xf32>) -> tensor<5x6xf32>
  %1 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<6xf32>) -> tensor<5x6xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<5x6xf32>
  %3 = stablehlo.abs %2 : tensor<5x6xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<5x6xf32>) -> tensor<5x6x7xf32>
  return %4 : tensor<5x6x7xf32>
}
