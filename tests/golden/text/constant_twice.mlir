// RUN: print
// A constant that is written out element by element stays apart from the splat of its number, and from start values.
func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %positive = stablehlo.compare GE, %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %bits = stablehlo.constant dense<"0x00000000"> : tensor<f32>
  %or = stablehlo.select %positive, %bits, %y : tensor<i1>, tensor<f32>
  return %or : tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.compare GE, %0, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %cst_1 = stablehlo.constant dense<"0x00000000"> : tensor<f32>
  %2 = stablehlo.select %1, %cst_1, %y : tensor<i1>, tensor<f32>
  return %2 : tensor<f32>
}
