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
