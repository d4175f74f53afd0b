// RUN: simplify
func.func @main(%n: tensor<4xi32>, %x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = stablehlo.composite "weft.map" %n, %x {composite_attributes = {body = @body}, decomposition = @none} : (tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @body(%n: tensor<i32>, %x: tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<f32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %c, %y = %x) : tensor<i32>, tensor<f32> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.add %i, %c_0 : tensor<i32>
    stablehlo.return %2, %y : tensor<i32>, tensor<f32>
  }
  return %0#0, %0#1, %two : tensor<i32>, tensor<f32>, tensor<f32>
}
func.func private @none() {
  return
}
// ----- becomes
func.func @main(%n: tensor<4xi32>, %x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.map"(%n) <{dimensions = array<i64: 0>}> ({
  ^bb0(%arg2: tensor<i32>):
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.while(%iterArg = %c) : tensor<i32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  %cst = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
  return %0, %x, %cst : tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
}
