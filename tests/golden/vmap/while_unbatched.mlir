// RUN: vmap 3 0,none
// The same number of steps for all: no mask. What does not depend on the batch is carried once.
func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %k = stablehlo.constant dense<2> : tensor<i32>
  %0:3 = stablehlo.while(%a = %x, %i = %zero, %s = %k) : tensor<f32>, tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %f = stablehlo.convert %s : (tensor<i32>) -> tensor<f32>
    %b = stablehlo.multiply %a, %f : tensor<f32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.multiply %s, %s : tensor<i32>
    stablehlo.return %b, %j, %t : tensor<f32>, tensor<i32>, tensor<i32>
  }
  return %0#0, %0#2 : tensor<f32>, tensor<i32>
}
// ----- becomes
func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %c_0 = stablehlo.constant dense<2> : tensor<i32>
  %0:3 = stablehlo.while(%iterArg = %x, %iterArg_0 = %c, %iterArg_1 = %c_0) : tensor<3xf32>, tensor<i32>, tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %iterArg_0, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.convert %iterArg_1 : (tensor<i32>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.multiply %iterArg, %3 : tensor<3xf32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %iterArg_0, %c_1 : tensor<i32>
    %6 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<i32>
    stablehlo.return %4, %5, %6 : tensor<3xf32>, tensor<i32>, tensor<i32>
  }
  %7 = stablehlo.broadcast_in_dim %0#2, dims = [] : (tensor<i32>) -> tensor<3xi32>
  return %0#0, %7 : tensor<3xf32>, tensor<3xi32>
}
