// RUN: simplify
// What is the same in each step and not cheap is computed before the loop; the cheap sum stays where it is.
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<4xf32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.exponential %w : tensor<4xf32>
    %2 = stablehlo.add %w, %w : tensor<4xf32>
    %3 = stablehlo.multiply %a, %1 : tensor<4xf32>
    %4 = stablehlo.add %3, %2 : tensor<4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %j : tensor<4xf32>, tensor<i32>
  }
  return %0#0 : tensor<4xf32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %w : tensor<4xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.while(%iterArg = %x, %iterArg_0 = %c) : tensor<4xf32>, tensor<i32>
  cond {
    %2 = stablehlo.compare LT, %iterArg_0, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %3 = stablehlo.add %w, %w : tensor<4xf32>
    %4 = stablehlo.multiply %iterArg, %0 : tensor<4xf32>
    %5 = stablehlo.add %4, %3 : tensor<4xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = stablehlo.add %iterArg_0, %c_0 : tensor<i32>
    stablehlo.return %5, %6 : tensor<4xf32>, tensor<i32>
  }
  return %1#0 : tensor<4xf32>
}
