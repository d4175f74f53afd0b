// RUN: raise
// It does not begin at 0: not every slice is written.
func.func @main(%x: tensor<4x2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>) {
  %start = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %f = stablehlo.constant dense<0.0> : tensor<4x2xf32>
  %0:3 = stablehlo.while(%i = %start, %a = %c, %ys = %f) : tensor<i32>, tensor<2xf32>, tensor<4x2xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %r = stablehlo.reshape %s : (tensor<1x2xf32>) -> tensor<2xf32>
    %b = stablehlo.add %a, %r : tensor<2xf32>
    %w = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %u = stablehlo.dynamic_update_slice %ys, %w, %i, %zero : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
    %j = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %j, %b, %u : tensor<i32>, tensor<2xf32>, tensor<4x2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<4x2xf32>
}
// ----- becomes
func.func @main(%x: tensor<4x2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<3xi32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x2xf32>
  %1:2 = stablehlo.composite "weft.scan" %x, %arg1, %cst, %0 {composite_attributes = {body = @weft.scan_body_0, carries = 2 : i64, invariants = 1 : i64, length = 3 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<4x2xf32>, tensor<2xf32>, tensor<4x2xf32>, tensor<3xi32>) -> (tensor<2xf32>, tensor<4x2xf32>)
  return %1#0, %1#1 : tensor<2xf32>, tensor<4x2xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<4x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<4x2xf32>, %arg3: tensor<i32>) -> (tensor<2xf32>, tensor<4x2xf32>) {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.add %c, %arg3 : tensor<i32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.dynamic_slice %arg0, %0, %c_0, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %2 = stablehlo.reshape %1 : (tensor<1x2xf32>) -> tensor<2xf32>
  %3 = stablehlo.add %arg1, %2 : tensor<2xf32>
  %4 = stablehlo.reshape %3 : (tensor<2xf32>) -> tensor<1x2xf32>
  %5 = stablehlo.dynamic_update_slice %arg2, %4, %0, %c_0 : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  return %3, %5 : tensor<2xf32>, tensor<4x2xf32>
}
func.func private @weft.scan_0(%arg0: tensor<4x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<4x2xf32>, %arg3: tensor<3xi32>) -> (tensor<2xf32>, tensor<4x2xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %arg2) : tensor<i64>, tensor<2xf32>, tensor<4x2xf32>
  cond {
    %c_0 = stablehlo.constant dense<3> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.dynamic_slice %arg3, %iterArg, sizes = [1] : (tensor<3xi32>, tensor<i64>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.add %c_1, %3 : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.dynamic_slice %arg0, %4, %c_2, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x2xf32>) -> tensor<2xf32>
    %7 = stablehlo.add %iterArg_0, %6 : tensor<2xf32>
    %8 = stablehlo.reshape %7 : (tensor<2xf32>) -> tensor<1x2xf32>
    %9 = stablehlo.dynamic_update_slice %iterArg_1, %8, %4, %c_2 : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i64>
    %10 = stablehlo.add %iterArg, %c_3 : tensor<i64>
    stablehlo.return %10, %7, %9 : tensor<i64>, tensor<2xf32>, tensor<4x2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<4x2xf32>
}
