// RUN: simplify
// Positions that are arithmetic of an iota are slices with a step: read, put in place, added. Not: a position outside, two counters along one axis, one along two.
func.func @main(%x: tensor<20x7xf32>, %u: tensor<5x7xf32>, %v: tensor<5xf32>) -> (tensor<5x7xf32>, tensor<20x7xf32>, tensor<20x7xf32>, tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20x7xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<5x1xi32>
  %one = stablehlo.constant dense<1> : tensor<5x1xi32>
  %three = stablehlo.constant dense<3> : tensor<5x1xi32>
  %zero = stablehlo.constant dense<0> : tensor<5x1xi32>
  %twenty = stablehlo.constant dense<20> : tensor<5x1xi32>
  %p = stablehlo.add %i, %three : tensor<5x1xi32>
  %less = stablehlo.compare LT, %p, %zero : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
  %wrapped = stablehlo.add %p, %twenty : tensor<5x1xi32>
  %q = stablehlo.select %less, %wrapped, %p : tensor<5x1xi1>, tensor<5x1xi32>
  %0 = "stablehlo.gather"(%x, %q) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<20x7xf32>, tensor<5x1xi32>) -> tensor<5x7xf32>
  %1 = "stablehlo.scatter"(%x, %q, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<20x7xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<20x7xf32>
  %t = stablehlo.multiply %i, %three : tensor<5x1xi32>
  %down = stablehlo.subtract %twenty, %t : tensor<5x1xi32>
  %back = stablehlo.subtract %down, %one : tensor<5x1xi32>
  %2 = "stablehlo.scatter"(%x, %back, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<20x7xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<20x7xf32>
  %3 = "stablehlo.gather"(%x, %back) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<20x7xf32>, tensor<5x1xi32>) -> tensor<7x5xf32>
  %both = stablehlo.concatenate %i, %one, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
  %4 = "stablehlo.gather"(%x, %both) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<20x7xf32>, tensor<5x2xi32>) -> tensor<5xf32>
  %diagonal = stablehlo.concatenate %i, %i, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
  %5 = "stablehlo.gather"(%x, %diagonal) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<20x7xf32>, tensor<5x2xi32>) -> tensor<5xf32>
  %over = stablehlo.add %t, %three : tensor<5x1xi32>
  %far = stablehlo.add %over, %three : tensor<5x1xi32>
  %out = stablehlo.add %far, %three : tensor<5x1xi32>
  %6 = "stablehlo.scatter"(%x, %out, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<20x7xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<20x7xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<5x7xf32>, tensor<20x7xf32>, tensor<20x7xf32>, tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20x7xf32>
}
// ----- becomes
func.func @main(%x: tensor<20x7xf32>, %u: tensor<5x7xf32>, %v: tensor<5xf32>) -> (tensor<5x7xf32>, tensor<20x7xf32>, tensor<20x7xf32>, tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20x7xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<5x1xi32>
  %1 = stablehlo.slice %x [3:8, 0:7] : (tensor<20x7xf32>) -> tensor<5x7xf32>
  %2 = stablehlo.add %1, %u : tensor<5x7xf32>
  %c = stablehlo.constant dense<3> : tensor<i64>
  %c_0 = stablehlo.constant dense<0> : tensor<i64>
  %3 = stablehlo.dynamic_update_slice %x, %2, %c, %c_0 : (tensor<20x7xf32>, tensor<5x7xf32>, tensor<i64>, tensor<i64>) -> tensor<20x7xf32>
  %c_1 = stablehlo.constant dense<3> : tensor<5x1xi32>
  %4 = stablehlo.multiply %0, %c_1 : tensor<5x1xi32>
  %5 = stablehlo.reverse %u, dims = [0] : tensor<5x7xf32>
  %6 = stablehlo.slice %x [7:20:3, 0:7] : (tensor<20x7xf32>) -> tensor<5x7xf32>
  %c_2 = stablehlo.constant dense<true> : tensor<5x7xi1>
  %c_3 = stablehlo.constant dense<false> : tensor<i1>
  %7 = stablehlo.pad %c_2, %c_3, low = [7, 0], high = [0, 0], interior = [2, 0] : (tensor<5x7xi1>, tensor<i1>) -> tensor<20x7xi1>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %8 = stablehlo.pad %5, %cst, low = [7, 0], high = [0, 0], interior = [2, 0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<20x7xf32>
  %9 = stablehlo.select %7, %8, %x : tensor<20x7xi1>, tensor<20x7xf32>
  %10 = stablehlo.reverse %6, dims = [0] : tensor<5x7xf32>
  %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<5x7xf32>) -> tensor<7x5xf32>
  %12 = stablehlo.slice %x [0:5, 1:2] : (tensor<20x7xf32>) -> tensor<5x1xf32>
  %13 = stablehlo.reshape %12 : (tensor<5x1xf32>) -> tensor<5xf32>
  %14 = stablehlo.concatenate %0, %0, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
  %15 = "stablehlo.gather"(%x, %14) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<20x7xf32>, tensor<5x2xi32>) -> tensor<5xf32>
  %c_4 = stablehlo.constant dense<9> : tensor<5x1xi32>
  %16 = stablehlo.add %4, %c_4 : tensor<5x1xi32>
  %17 = "stablehlo.scatter"(%x, %16, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg4 : tensor<f32>
  }) : (tensor<20x7xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<20x7xf32>
  return %1, %3, %9, %11, %13, %15, %17 : tensor<5x7xf32>, tensor<20x7xf32>, tensor<20x7xf32>, tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20x7xf32>
}
