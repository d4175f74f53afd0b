// RUN: simplify
// From a constant to a constant: a scan of so many steps, whose counter is the number of the step. What the steps share is a constant inside.
func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %start = stablehlo.constant dense<4> : tensor<i32>
  %end = stablehlo.constant dense<10> : tensor<i32>
  %by = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%a = %x, %i = %start) : tensor<f32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %by : tensor<i32>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %b = stablehlo.multiply %a, %f : tensor<f32>
    stablehlo.return %b, %j : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
// ----- becomes
func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0 = stablehlo.iota dim = 0 : tensor<3xi32>
  %1 = stablehlo.composite "weft.scan" %x, %0 {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 0 : i64, length = 3 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<f32>, tensor<3xi32>) -> tensor<f32>
  %c = stablehlo.constant dense<10> : tensor<i32>
  return %1, %c : tensor<f32>, tensor<i32>
}
func.func private @weft.scan_body_0(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<f32> {
  %c = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.multiply %arg1, %c : tensor<i32>
  %c_0 = stablehlo.constant dense<4> : tensor<i32>
  %1 = stablehlo.add %c_0, %0 : tensor<i32>
  %2 = stablehlo.convert %1 : (tensor<i32>) -> tensor<f32>
  %3 = stablehlo.multiply %arg0, %2 : tensor<f32>
  return %3 : tensor<f32>
}
func.func private @weft.scan_0(%arg0: tensor<f32>, %arg1: tensor<3xi32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i64>, tensor<f32>
  cond {
    %c_0 = stablehlo.constant dense<3> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.dynamic_slice %arg1, %iterArg, sizes = [1] : (tensor<3xi32>, tensor<i64>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.multiply %3, %c_1 : tensor<i32>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %5 = stablehlo.add %c_2, %4 : tensor<i32>
    %6 = stablehlo.convert %5 : (tensor<i32>) -> tensor<f32>
    %7 = stablehlo.multiply %iterArg_0, %6 : tensor<f32>
    %c_3 = stablehlo.constant dense<1> : tensor<i64>
    %8 = stablehlo.add %iterArg, %c_3 : tensor<i64>
    stablehlo.return %8, %7 : tensor<i64>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
