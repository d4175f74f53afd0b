// RUN: raise | simplify
// Two carries that only feed each other, one that never changes, one that nobody reads: what is left is one carry and an invariant.
func.func @main(%x: tensor<f32>, %y: tensor<4xf32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %0:5 = stablehlo.while(%a = %x, %b = %y, %c = %y, %d = %y, %e = %x) : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  cond {
    %p = stablehlo.compare LT, %a, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%d init: %1) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.add %a, %2 : tensor<f32>
    %4 = stablehlo.sine %b : tensor<4xf32>
    stablehlo.return %3, %c, %4, %d, %3 : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
  return %0#0, %0#3 : tensor<f32>, tensor<4xf32>
}
// ----- becomes
func.func @main(%x: tensor<f32>, %y: tensor<4xf32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%y init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.maximum %cst_0, %0 : tensor<f32>
  %2 = stablehlo.while(%iterArg = %x) : tensor<f32>
  cond {
    %3 = stablehlo.compare LT, %iterArg, %limit, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %4 = stablehlo.add %iterArg, %1 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }
  return %2, %y : tensor<f32>, tensor<4xf32>
}
