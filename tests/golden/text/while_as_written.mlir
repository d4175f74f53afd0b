// RUN: print
// Text is read as it is written: a loop over slices is a while.
func.func @main(%x: tensor<4x2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
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
  %c = stablehlo.constant dense<0> : tensor<i32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x2xf32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %cst) : tensor<i32>, tensor<2xf32>, tensor<4x2xf32>
  cond {
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_slice %x, %iterArg, %c_1, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x2xf32>) -> tensor<2xf32>
    %4 = stablehlo.add %iterArg_0, %3 : tensor<2xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %6 = stablehlo.dynamic_update_slice %iterArg_1, %5, %iterArg, %c_1 : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.add %iterArg, %c_2 : tensor<i32>
    stablehlo.return %7, %4, %6 : tensor<i32>, tensor<2xf32>, tensor<4x2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<4x2xf32>
}
