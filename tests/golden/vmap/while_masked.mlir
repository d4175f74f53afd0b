// RUN: vmap 3 0,none
// A loop over arrays whose test differs per example goes on while any is true; examples that are done keep their values.
func.func @main(%x: tensor<2xf32>, %limit: tensor<f32>) -> (tensor<2xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<2xf32>, tensor<i32>
  cond {
    %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %p = stablehlo.compare LT, %s, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.add %a, %a : tensor<2xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %j : tensor<2xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<i32>
}
// ----- becomes
func.func @main(%x: tensor<3x2xf32>, %limit: tensor<f32>) -> (tensor<3x2xf32>, tensor<3xi32>) {
  %c = stablehlo.constant dense<0> : tensor<3xi32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.broadcast_in_dim %limit, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %3:3 = stablehlo.while(%iterArg = %2, %iterArg_0 = %x, %iterArg_1 = %c) : tensor<3xi1>, tensor<3x2xf32>, tensor<3xi32>
  cond {
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %4 = stablehlo.reduce(%iterArg init: %c_0) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %5 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<3x2xf32>
    %c_1 = stablehlo.constant dense<1> : tensor<3xi32>
    %6 = stablehlo.add %iterArg_1, %c_1 : tensor<3xi32>
    %7 = stablehlo.broadcast_in_dim %iterArg, dims = [0] : (tensor<3xi1>) -> tensor<3x2xi1>
    %8 = stablehlo.select %7, %5, %iterArg_0 : tensor<3x2xi1>, tensor<3x2xf32>
    %9 = stablehlo.select %iterArg, %6, %iterArg_1 : tensor<3xi1>, tensor<3xi32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%8 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.broadcast_in_dim %limit, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare LT, %10, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %13 = stablehlo.and %12, %iterArg : tensor<3xi1>
    stablehlo.return %13, %8, %9 : tensor<3xi1>, tensor<3x2xf32>, tensor<3xi32>
  }
  return %3#1, %3#2 : tensor<3x2xf32>, tensor<3xi32>
}
