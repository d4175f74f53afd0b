// RUN: raise
// How many running counts are at most k is the position of the set element number k, as JAX writes nonzero: a sort by the mask. More are asked for than there are; negative counts are guarded against. Not: of ints that are no mask, of twos.
func.func @main(%mask: tensor<8xi1>, %ints: tensor<8xi32>) -> (tensor<5xi32>, tensor<12xi32>, tensor<5xi32>, tensor<5xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<8xi32>
  %none = stablehlo.constant dense<0> : tensor<5xi32>
  %nones = stablehlo.constant dense<0> : tensor<12xi32>
  %ones = stablehlo.constant dense<1> : tensor<8xi32>
  %twos = stablehlo.constant dense<2> : tensor<8xi32>
  %fives = stablehlo.constant dense<5> : tensor<8xi32>
  %set = stablehlo.convert %mask : (tensor<8xi1>) -> tensor<8xi32>
  %count = "stablehlo.reduce_window"(%set, %zero) <{window_dimensions = array<i64: 8>, padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  %other = "stablehlo.reduce_window"(%ints, %zero) <{window_dimensions = array<i64: 8>, padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  %least = stablehlo.maximum %zeros, %count : tensor<8xi32>
  %below = stablehlo.compare LT, %least, %zeros, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %wrapped = stablehlo.add %least, %fives : tensor<8xi32>
  %place = stablehlo.select %below, %wrapped, %least : tensor<8xi1>, tensor<8xi32>
  %at = stablehlo.reshape %place : (tensor<8xi32>) -> tensor<8x1xi32>
  %direct = stablehlo.reshape %count : (tensor<8xi32>) -> tensor<8x1xi32>
  %elsewhere = stablehlo.reshape %other : (tensor<8xi32>) -> tensor<8x1xi32>
  %c0 = "stablehlo.scatter"(%none, %at, %ones) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<5xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<5xi32>
  %c1 = "stablehlo.scatter"(%nones, %direct, %ones) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<12xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<12xi32>
  %c2 = "stablehlo.scatter"(%none, %elsewhere, %ones) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<5xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<5xi32>
  %c3 = "stablehlo.scatter"(%none, %direct, %twos) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<5xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<5xi32>
  %s0 = "stablehlo.reduce_window"(%c0, %zero) <{window_dimensions = array<i64: 5>, padding = dense<[[4, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  %s1 = "stablehlo.reduce_window"(%c1, %zero) <{window_dimensions = array<i64: 12>, padding = dense<[[11, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
  %s2 = "stablehlo.reduce_window"(%c2, %zero) <{window_dimensions = array<i64: 5>, padding = dense<[[4, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  %s3 = "stablehlo.reduce_window"(%c3, %zero) <{window_dimensions = array<i64: 5>, padding = dense<[[4, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  return %s0, %s1, %s2, %s3 : tensor<5xi32>, tensor<12xi32>, tensor<5xi32>, tensor<5xi32>
}
// ----- becomes
func.func @main(%mask: tensor<8xi1>, %ints: tensor<8xi32>) -> (tensor<5xi32>, tensor<12xi32>, tensor<5xi32>, tensor<5xi32>) {
  %0 = stablehlo.convert %mask : (tensor<8xi1>) -> tensor<8xi32>
  %1 = stablehlo.composite "weft.cumulative" %0 {composite_attributes = {applies = "stablehlo.add", dimension = 0 : i64, reverse = false}, decomposition = @weft.cumulative_0} : (tensor<8xi32>) -> tensor<8xi32>
  %2 = stablehlo.composite "weft.cumulative" %ints {composite_attributes = {applies = "stablehlo.add", dimension = 0 : i64, reverse = false}, decomposition = @weft.cumulative_0} : (tensor<8xi32>) -> tensor<8xi32>
  %3 = stablehlo.reshape %1 : (tensor<8xi32>) -> tensor<8x1xi32>
  %4 = stablehlo.reshape %2 : (tensor<8xi32>) -> tensor<8x1xi32>
  %c = stablehlo.constant dense<0> : tensor<5xi32>
  %c_0 = stablehlo.constant dense<1> : tensor<8xi32>
  %5 = "stablehlo.scatter"(%c, %4, %c_0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
    %6 = stablehlo.add %arg2, %arg3 : tensor<i32>
    stablehlo.return %6 : tensor<i32>
  }) : (tensor<5xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<5xi32>
  %c_1 = stablehlo.constant dense<2> : tensor<8xi32>
  %7 = "stablehlo.scatter"(%c, %3, %c_1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
    %8 = stablehlo.add %arg4, %arg5 : tensor<i32>
    stablehlo.return %8 : tensor<i32>
  }) : (tensor<5xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<5xi32>
  %9 = stablehlo.iota dim = 0 : tensor<8xi32>
  %10:2 = "stablehlo.sort"(%mask, %9) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%arg6: tensor<i1>, %arg7: tensor<i1>, %arg8: tensor<i32>, %arg9: tensor<i32>):
    %11 = stablehlo.compare GT, %arg6, %arg7, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %11 : tensor<i1>
  }) : (tensor<8xi1>, tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi32>)
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %12 = stablehlo.reduce(%0 init: %c_2) applies stablehlo.add across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
  %13 = stablehlo.slice %10#1 [0:5] : (tensor<8xi32>) -> tensor<5xi32>
  %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<i32>) -> tensor<5xi32>
  %15 = stablehlo.iota dim = 0 : tensor<5xi32>
  %16 = stablehlo.compare LT, %15, %14, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
  %c_3 = stablehlo.constant dense<8> : tensor<5xi32>
  %17 = stablehlo.select %16, %13, %c_3 : tensor<5xi1>, tensor<5xi32>
  %c_4 = stablehlo.constant dense<8> : tensor<i32>
  %18 = stablehlo.pad %10#1, %c_4, low = [0], high = [4], interior = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<12xi32>
  %19 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<i32>) -> tensor<12xi32>
  %20 = stablehlo.iota dim = 0 : tensor<12xi32>
  %21 = stablehlo.compare LT, %20, %19, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
  %c_5 = stablehlo.constant dense<8> : tensor<12xi32>
  %22 = stablehlo.select %21, %18, %c_5 : tensor<12xi1>, tensor<12xi32>
  %23 = stablehlo.composite "weft.cumulative" %5 {composite_attributes = {applies = "stablehlo.add", dimension = 0 : i64, reverse = false}, decomposition = @weft.cumulative_1} : (tensor<5xi32>) -> tensor<5xi32>
  %24 = stablehlo.composite "weft.cumulative" %7 {composite_attributes = {applies = "stablehlo.add", dimension = 0 : i64, reverse = false}, decomposition = @weft.cumulative_1} : (tensor<5xi32>) -> tensor<5xi32>
  return %17, %22, %23, %24 : tensor<5xi32>, tensor<12xi32>, tensor<5xi32>, tensor<5xi32>
}
func.func private @weft.cumulative_0(%arg0: tensor<8xi32>) -> tensor<8xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%arg0, %c) <{base_dilations = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 8>, window_strides = array<i64: 1>}> ({
  ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
func.func private @weft.cumulative_1(%arg0: tensor<5xi32>) -> tensor<5xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%arg0, %c) <{base_dilations = array<i64: 1>, padding = dense<[[4, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 5>, window_strides = array<i64: 1>}> ({
  ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
