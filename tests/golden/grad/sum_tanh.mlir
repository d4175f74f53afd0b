// RUN: grad | simplify
// tanh is kept, its derivative is 1 - tanh^2.
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %1 = stablehlo.subtract %cst, %0 : tensor<4xf32>
  %2 = stablehlo.add %0, %cst : tensor<4xf32>
  %3 = stablehlo.multiply %2, %1 : tensor<4xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %4, %3 : tensor<f32>, tensor<4xf32>
}
