// RUN: vjp 0 | simplify
// A slice's cotangent is padded, a gather's scattered where the gather looked: inside.
func.func @main(%x: tensor<6x2xf32>, %i: tensor<3xi32>) -> (tensor<2x2xf32>, tensor<3x2xf32>) {
  %0 = stablehlo.slice %x [1:5:3, 0:2] : (tensor<6x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<6x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<3x2xf32>
}
// ----- becomes
func.func @main(%x: tensor<6x2xf32>, %i: tensor<3xi32>, %arg2: tensor<2x2xf32>, %arg3: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<3x2xf32>, tensor<6x2xf32>) {
  %0 = stablehlo.slice %x [1:5:3, 0:2] : (tensor<6x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<6x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  %c = stablehlo.constant dense<0> : tensor<3xi32>
  %c_0 = stablehlo.constant dense<5> : tensor<3xi32>
  %2 = stablehlo.clamp %c, %i, %c_0 : tensor<3xi32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.pad %arg2, %cst, low = [1, 0], high = [1, 0], interior = [2, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<6x2xf32>
  %4 = "stablehlo.scatter"(%3, %2, %arg3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    %5 = stablehlo.add %arg4, %arg5 : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<6x2xf32>, tensor<3xi32>, tensor<3x2xf32>) -> tensor<6x2xf32>
  return %0, %1, %4 : tensor<2x2xf32>, tensor<3x2xf32>, tensor<6x2xf32>
}
