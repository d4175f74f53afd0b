// RUN: print
// A reducer may use constants from outside: the region gets its own.
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %k = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %k) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%l: tensor<f32>, %r: tensor<f32>)  {
    %1 = stablehlo.power %r, %k : tensor<f32>
    %2 = stablehlo.add %l, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %cst) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%arg1: tensor<f32>, %arg2: tensor<f32>)  {
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.power %arg2, %cst_0 : tensor<f32>
    %2 = stablehlo.add %arg1, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
