// RUN: vmap 8 0,none
// What does not depend on a mapped argument stays as small as it was.
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %w : tensor<4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ----- becomes
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.exponential %w : tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
