// RUN: vmap 3 0,none,0
func.func @main(%x: tensor<5x2xf32>, %i: tensor<4x1xi32>, %u: tensor<4x2xf32>) -> tensor<5x2xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x5x2xf32>, %i: tensor<4x1xi32>, %u: tensor<3x4x2xf32>) -> tensor<3x5x2xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x5x2xf32>, tensor<4x1xi32>, tensor<3x4x2xf32>) -> tensor<3x5x2xf32>
  return %0 : tensor<3x5x2xf32>
}
