// RUN: vmap 8
func.func @main(%w: tensor<3x4xf32>, %x: tensor<4xf32>) -> tensor<3xf32> {
  %0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- becomes
func.func @main(%w: tensor<8x3x4xf32>, %x: tensor<8x4xf32>) -> tensor<8x3xf32> {
  %0 = stablehlo.dot_general %w, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x3x4xf32>, tensor<8x4xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
