// RUN: simplify
// What is done to fixed positions of updates is done before the loop, of a list of two of them to each; the same of a gather's that is no update stays in it.
func.func @spread(%l: tensor<30xi32>, %a: tensor<20xi32>, %b: tensor<20xi32>, %k: tensor<5xi32>, %n: tensor<i32>) -> (tensor<30xi32>, tensor<5xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<5xi32>
  %0:3 = stablehlo.while(%x = %l, %got = %none, %i = %zero) : tensor<30xi32>, tensor<5xi32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %ten = stablehlo.constant dense<10> : tensor<20xi32>
    %few = stablehlo.constant dense<10> : tensor<5xi32>
    %1 = stablehlo.subtract %a, %ten : tensor<20xi32>
    %2 = stablehlo.subtract %b, %ten : tensor<20xi32>
    %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<20xi32>, tensor<20xi32>) -> tensor<40xi32>
    %4 = stablehlo.concatenate %2, %1, dim = 0 : (tensor<20xi32>, tensor<20xi32>) -> tensor<40xi32>
    %5 = stablehlo.reshape %3 : (tensor<40xi32>) -> tensor<40x1xi32>
    %6 = stablehlo.reshape %4 : (tensor<40xi32>) -> tensor<40x1xi32>
    %7 = "stablehlo.gather"(%x, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<30xi32>, tensor<40x1xi32>) -> tensor<40xi32>
    %8 = "stablehlo.scatter"(%x, %5, %7) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%c: tensor<i32>, %d: tensor<i32>):
      %s = stablehlo.minimum %c, %d : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<30xi32>, tensor<40x1xi32>, tensor<40xi32>) -> tensor<30xi32>
    %9 = stablehlo.subtract %k, %few : tensor<5xi32>
    %10 = stablehlo.reshape %9 : (tensor<5xi32>) -> tensor<5x1xi32>
    %11 = "stablehlo.gather"(%x, %10) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<30xi32>, tensor<5x1xi32>) -> tensor<5xi32>
    %12 = stablehlo.add %got, %11 : tensor<5xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %8, %12, %j : tensor<30xi32>, tensor<5xi32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<30xi32>, tensor<5xi32>
}
// ----- becomes
func.func @spread(%l: tensor<30xi32>, %a: tensor<20xi32>, %b: tensor<20xi32>, %k: tensor<5xi32>, %n: tensor<i32>) -> (tensor<30xi32>, tensor<5xi32>) {
  %c = stablehlo.constant dense<10> : tensor<20xi32>
  %0 = stablehlo.subtract %a, %c : tensor<20xi32>
  %1 = stablehlo.subtract %b, %c : tensor<20xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<5xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %2:4 = stablehlo.optimization_barrier {weft.captures} %n, %k, %0, %1 : tensor<i32>, tensor<5xi32>, tensor<20xi32>, tensor<20xi32>
  %3:3 = stablehlo.while(%iterArg = %l, %iterArg_0 = %c_0, %iterArg_1 = %c_1) : tensor<30xi32>, tensor<5xi32>, tensor<i32>
  cond {
    %4 = stablehlo.compare LT, %iterArg_1, %2#0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %5 = stablehlo.concatenate %2#2, %2#3, dim = 0 : (tensor<20xi32>, tensor<20xi32>) -> tensor<40xi32>
    %6 = stablehlo.concatenate %2#3, %2#2, dim = 0 : (tensor<20xi32>, tensor<20xi32>) -> tensor<40xi32>
    %7 = stablehlo.reshape %5 : (tensor<40xi32>) -> tensor<40x1xi32>
    %8 = stablehlo.reshape %6 : (tensor<40xi32>) -> tensor<40x1xi32>
    %9 = "stablehlo.gather"(%iterArg, %8) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<30xi32>, tensor<40x1xi32>) -> tensor<40xi32>
    %10 = "stablehlo.scatter"(%iterArg, %7, %9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>):
      %11 = stablehlo.minimum %arg5, %arg6 : tensor<i32>
      stablehlo.return %11 : tensor<i32>
    }) : (tensor<30xi32>, tensor<40x1xi32>, tensor<40xi32>) -> tensor<30xi32>
    %c_2 = stablehlo.constant dense<10> : tensor<5xi32>
    %12 = stablehlo.subtract %2#1, %c_2 : tensor<5xi32>
    %13 = stablehlo.reshape %12 : (tensor<5xi32>) -> tensor<5x1xi32>
    %14 = "stablehlo.gather"(%iterArg, %13) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<30xi32>, tensor<5x1xi32>) -> tensor<5xi32>
    %15 = stablehlo.add %iterArg_0, %14 : tensor<5xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %16 = stablehlo.add %iterArg_1, %c_3 : tensor<i32>
    stablehlo.return %10, %15, %16 : tensor<30xi32>, tensor<5xi32>, tensor<i32>
  }
  return %3#0, %3#1 : tensor<30xi32>, tensor<5xi32>
}
