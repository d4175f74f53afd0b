// RUN: vmap 8 none,0
// The batch of vectors goes to the left: its axis is in front then, and nothing has to be moved.
func.func @main(%w: tensor<3x4xf32>, %x: tensor<4xf32>) -> tensor<3xf32> {
  %0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- becomes
func.func @main(%w: tensor<3x4xf32>, %x: tensor<8x4xf32>) -> tensor<8x3xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
