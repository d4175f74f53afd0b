// RUN: vmap 8 0,none,none
// A scalar predicate that is mapped chooses per example.
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- becomes
func.func @main(%p: tensor<8xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<8xi1>) -> tensor<8x4xi1>
  %1 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.select %0, %1, %2 : tensor<8x4xi1>, tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}
