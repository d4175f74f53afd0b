// RUN: print
// A start value may equal a constant that the graph has further on: the graph read back has that one only, where it was.
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.maximum %sum, %zero : tensor<f32>
  return %max : tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.maximum %0, %cst_0 : tensor<f32>
  return %1 : tensor<f32>
}
