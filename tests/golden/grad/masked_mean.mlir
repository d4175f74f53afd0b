// RUN: grad 0 | simplify
// Where the mask is false the gradient is a zero, whatever x is there.
func.func @main(%x: tensor<8xf32>, %mask: tensor<8xi1>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %zeros = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
  %0 = stablehlo.select %mask, %x, %zeros : tensor<8xi1>, tensor<8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.convert %mask : (tensor<8xi1>) -> tensor<8xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.divide %1, %3 : tensor<f32>
  return %4 : tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<8xf32>, %mask: tensor<8xi1>) -> (tensor<f32>, tensor<8xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
  %0 = stablehlo.select %mask, %x, %cst : tensor<8xi1>, tensor<8xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.convert %mask : (tensor<8xi1>) -> tensor<8xf32>
  %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.divide %1, %3 : tensor<f32>
  %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = stablehlo.divide %cst_1, %3 : tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %7 = stablehlo.select %mask, %6, %cst : tensor<8xi1>, tensor<8xf32>
  return %4, %7 : tensor<f32>, tensor<8xf32>
}
