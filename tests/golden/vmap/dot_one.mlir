// RUN: vmap 8 0,none
// One batched operand: the batch is a free axis, and 8 products of matrix and vector are one of two matrices.
func.func @main(%x: tensor<4xf32>, %w: tensor<4x5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// ----- becomes
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x5xf32>) -> tensor<8x5xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}
