// RUN: print
func.func @main(%x: tensor<2x4x3xf32>, %y: tensor<2x4x3xi32>, %i: tensor<2x5x1xi64>, %u: tensor<2x5x3xf32>, %v: tensor<2x5x3xi32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xi32>, tensor<2x4x3xf32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %1 = stablehlo.add %a, %c : tensor<f32>
    %2 = stablehlo.maximum %b, %d : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }) {
    unique_indices = true,
    scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 2>
  } : (tensor<2x4x3xf32>, tensor<2x4x3xi32>, tensor<2x5x1xi64>, tensor<2x5x3xf32>, tensor<2x5x3xi32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xi32>)
  %i0 = stablehlo.constant dense<1> : tensor<1xi32>
  %u0 = stablehlo.slice %u [0:2, 0:4, 0:1] : (tensor<2x5x3xf32>) -> tensor<2x4x1xf32>
  %u1 = stablehlo.reshape %u0 : (tensor<2x4x1xf32>) -> tensor<2x4xf32>
  %3 = "stablehlo.scatter"(%x, %i0, %u1) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<2x4x3xf32>, tensor<1xi32>, tensor<2x4xf32>) -> tensor<2x4x3xf32>
  return %0#0, %0#1, %3 : tensor<2x4x3xf32>, tensor<2x4x3xi32>, tensor<2x4x3xf32>
}
// ----- becomes
func.func @main(%x: tensor<2x4x3xf32>, %y: tensor<2x4x3xi32>, %i: tensor<2x5x1xi64>, %u: tensor<2x5x3xf32>, %v: tensor<2x5x3xi32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xi32>, tensor<2x4x3xf32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = true}> ({
  ^bb0(%arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<f32>, %arg8: tensor<i32>):
    %1 = stablehlo.add %arg5, %arg7 : tensor<f32>
    %2 = stablehlo.maximum %arg6, %arg8 : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }) : (tensor<2x4x3xf32>, tensor<2x4x3xi32>, tensor<2x5x1xi64>, tensor<2x5x3xf32>, tensor<2x5x3xi32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xi32>)
  %3 = stablehlo.slice %u [0:2, 0:4, 0:1] : (tensor<2x5x3xf32>) -> tensor<2x4x1xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x4x1xf32>) -> tensor<2x4xf32>
  %c = stablehlo.constant dense<1> : tensor<1xi32>
  %5 = "stablehlo.scatter"(%x, %c, %4) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2], index_vector_dim = 0>, unique_indices = false}> ({
  ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
    stablehlo.return %arg10 : tensor<f32>
  }) : (tensor<2x4x3xf32>, tensor<1xi32>, tensor<2x4xf32>) -> tensor<2x4x3xf32>
  return %0#0, %0#1, %5 : tensor<2x4x3xf32>, tensor<2x4x3xi32>, tensor<2x4x3xf32>
}
