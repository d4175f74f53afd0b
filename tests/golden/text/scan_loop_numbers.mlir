// RUN: raise
// An iota that is read in slices is the numbers of the steps.
func.func @main(%c: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %at = stablehlo.iota dim = 0 : tensor<4xf32>
  %start = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %f = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0:4 = stablehlo.while(%x = %at, %i = %start, %a = %c, %ys = %f) : tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %last = stablehlo.subtract %n, %i : tensor<i32>
    %k = stablehlo.subtract %last, %step : tensor<i32>
    %s = stablehlo.dynamic_slice %x, %k, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %r = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
    %b = stablehlo.multiply %a, %r : tensor<f32>
    %w = stablehlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
    %u = stablehlo.dynamic_update_slice %ys, %w, %k : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    %j = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %x, %j, %b, %u : tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<4xf32>
  }
  return %0#2, %0#3 : tensor<f32>, tensor<4xf32>
}
// ----- becomes
func.func @main(%arg0: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<4xf32>
  %1:2 = stablehlo.composite "weft.scan" %arg0, %0 {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 0 : i64, length = 4 : i64, reverse = true, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return %1#0, %1#1 : tensor<f32>, tensor<4xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<f32>
  return %0, %0 : tensor<f32>, tensor<f32>
}
func.func private @weft.scan_0(%arg0: tensor<f32>, %arg1: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %cst) : tensor<i64>, tensor<f32>, tensor<4xf32>
  cond {
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<3> : tensor<i64>
    %2 = stablehlo.subtract %c_1, %iterArg : tensor<i64>
    %3 = stablehlo.dynamic_slice %arg1, %2, sizes = [1] : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = stablehlo.multiply %iterArg_0, %4 : tensor<f32>
    %6 = stablehlo.reshape %5 : (tensor<f32>) -> tensor<1xf32>
    %7 = stablehlo.dynamic_update_slice %iterArg_1, %6, %2 : (tensor<4xf32>, tensor<1xf32>, tensor<i64>) -> tensor<4xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %8 = stablehlo.add %iterArg, %c_2 : tensor<i64>
    stablehlo.return %8, %5, %7 : tensor<i64>, tensor<f32>, tensor<4xf32>
  }
  return %0#1, %0#2 : tensor<f32>, tensor<4xf32>
}
