// RUN: linearize 0
// What is kept is tanh, not its derivative, and exp; a sum over a broadcast keeps nothing.
func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.exponential %y : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.multiply %0, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.exponential %y : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.multiply %0, %2 : tensor<4xf32>
  return %3, %0, %1 : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
// ----- 2 residuals
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %0 = stablehlo.subtract %cst, %arg0 : tensor<4xf32>
  %1 = stablehlo.add %arg0, %cst : tensor<4xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<4xf32>
  %3 = stablehlo.multiply %arg2, %2 : tensor<4xf32>
  %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
}
