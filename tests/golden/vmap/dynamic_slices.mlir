// RUN: vmap 3 0,none,0
// A start that differs per example is a gather and a scatter; one for all stays a slice.
func.func @main(%x: tensor<5x2xf32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %z, sizes = [2, 2] : (tensor<5x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %1 = stablehlo.dynamic_slice %x, %j, %z, sizes = [2, 2] : (tensor<5x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %2 = stablehlo.dynamic_update_slice %x, %1, %i, %z : (tensor<5x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x2xf32>
  %3 = stablehlo.dynamic_update_slice %x, %0, %j, %z : (tensor<5x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x2xf32>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x5x2xf32>, %i: tensor<i32>, %j: tensor<3xi32>) -> (tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<3x5x2xf32>, tensor<3x5x2xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %c, %i, %c, sizes = [3, 2, 2] : (tensor<3x5x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x2xf32>
  %1 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x5x2xf32>, tensor<3xi32>) -> tensor<3x2x2xf32>
  %2 = stablehlo.dynamic_update_slice %x, %1, %c, %i, %c : (tensor<3x5x2xf32>, tensor<3x2x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x5x2xf32>
  %c_0 = stablehlo.constant dense<3> : tensor<i32>
  %3 = stablehlo.clamp %c, %j, %c_0 : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %4 = "stablehlo.scatter"(%x, %3, %0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg4 : tensor<f32>
  }) : (tensor<3x5x2xf32>, tensor<3xi32>, tensor<3x2x2xf32>) -> tensor<3x5x2xf32>
  return %0, %1, %2, %4 : tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<3x5x2xf32>, tensor<3x5x2xf32>
}
