// RUN: vmap 8 none,0
// Rows of one table at positions of each example: the positions' batch axis is one more axis of positions.
func.func @main(%x: tensor<10x4xf32>, %at: tensor<3xi32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- becomes
func.func @main(%x: tensor<10x4xf32>, %at: tensor<8x3xi32>) -> tensor<8x3x4xf32> {
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<8x3xi32>) -> tensor<8x3x4xf32>
  return %0 : tensor<8x3x4xf32>
}
