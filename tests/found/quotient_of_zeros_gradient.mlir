// seed 1: the gradient of quotient_of_zeros.mlir, with the cotangent that showed it
func.func @main(%arg0: tensor<31xf32>, %arg1: tensor<11xf32>) -> (tensor<11xf32>, tensor<31xf32>) {
  %0 = chlo.square %arg0 : tensor<31xf32> -> tensor<31xf32>
  %1 = stablehlo.add %arg0, %arg0 : tensor<31xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<31xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.slice %0 [0:31:3] : (tensor<31xf32>) -> tensor<11xf32>
  %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<11xf32>
  %5 = stablehlo.divide %3, %4 : tensor<11xf32>
  %6 = stablehlo.divide %arg1, %4 : tensor<11xf32>
  %7 = stablehlo.negate %6 : tensor<11xf32>
  %8 = stablehlo.multiply %7, %5 : tensor<11xf32>
  %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.pad %6, %cst_0, low = [0], high = [0], interior = [2] : (tensor<11xf32>, tensor<f32>) -> tensor<31xf32>
  %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<31xf32>
  %12 = stablehlo.add %10, %11 : tensor<31xf32>
  %13 = stablehlo.multiply %12, %1 : tensor<31xf32>
  return %5, %13 : tensor<11xf32>, tensor<31xf32>
}
func.func @inputs() -> (tensor<31xf32>, tensor<11xf32>) {
  %cst = stablehlo.constant dense<[-89.62789916992188, -89.4526596069336, -87.14148712158203, -0.313629150390625, -89.3035659790039, -87.42577362060547, -20.140769958496094, 0.0, -86.8554916381836, -88.56904602050781, -3.000000005e+38, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5, -88.5]> : tensor<31xf32>
  %cst_0 = stablehlo.constant dense<1.0> : tensor<11xf32>
  return %cst, %cst_0 : tensor<31xf32>, tensor<11xf32>
}
