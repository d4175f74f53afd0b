// RUN: simplify
// The factor c is the same for all elements, so it is carried, and stacked, as a number; x is not. The rows of
// w are equal in all columns: a step reads a number of them.
func.func @main(%x: tensor<4xf32>, %f: tensor<f32>, %v: tensor<3xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  %start = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %w = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %cs = stablehlo.constant dense<0.0> : tensor<3x4xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = stablehlo.while(%i = %zero, %c = %start, %h = %x, %stack = %cs) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %o = stablehlo.constant dense<0> : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %1 = stablehlo.divide %half, %c : tensor<4xf32>
    %2 = stablehlo.multiply %h, %1 : tensor<4xf32>
    %3 = stablehlo.dynamic_slice %w, %i, %o, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x4xf32>) -> tensor<4xf32>
    %5 = stablehlo.add %2, %4 : tensor<4xf32>
    %6 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<1x4xf32>
    %7 = stablehlo.dynamic_update_slice %stack, %6, %i, %o : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    stablehlo.return %j, %1, %5, %7 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>
  }
  return %0#2, %0#3 : tensor<4xf32>, tensor<3x4xf32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %f: tensor<f32>, %v: tensor<3xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  %0:3 = stablehlo.composite "weft.scan" %f, %x, %v {composite_attributes = {body = @weft.scan_body_0, carries = 2 : i64, invariants = 0 : i64, length = 3 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<f32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<3xf32>)
  %1 = stablehlo.broadcast_in_dim %0#2, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  return %0#1, %1 : tensor<4xf32>, tensor<3x4xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<f32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<f32>) {
  %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %0 = stablehlo.divide %cst, %arg0 : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.multiply %arg1, %1 : tensor<4xf32>
  %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %4 = stablehlo.add %2, %3 : tensor<4xf32>
  return %0, %4, %0 : tensor<f32>, tensor<4xf32>, tensor<f32>
}
func.func private @weft.scan_0(%arg0: tensor<f32>, %arg1: tensor<4xf32>, %arg2: tensor<3xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
  %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %cst) : tensor<i64>, tensor<f32>, tensor<4xf32>, tensor<3xf32>
  cond {
    %c_0 = stablehlo.constant dense<3> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.dynamic_slice %arg2, %iterArg, sizes = [1] : (tensor<3xf32>, tensor<i64>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %4 = stablehlo.divide %cst_0, %iterArg_0 : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.multiply %iterArg_1, %5 : tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.add %6, %7 : tensor<4xf32>
    %9 = stablehlo.reshape %4 : (tensor<f32>) -> tensor<1xf32>
    %10 = stablehlo.dynamic_update_slice %iterArg_2, %9, %iterArg : (tensor<3xf32>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %11 = stablehlo.add %iterArg, %c_1 : tensor<i64>
    stablehlo.return %11, %4, %8, %10 : tensor<i64>, tensor<f32>, tensor<4xf32>, tensor<3xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<f32>, tensor<4xf32>, tensor<3xf32>
}
