// RUN: vmap 3 none,0 | vmap 8 0,none
// Squared distances of all pairs, from one pair's.
func.func @main(%q: tensor<64xf32>, %r: tensor<64xf32>) -> tensor<f32> {
  %0 = stablehlo.subtract %q, %r : tensor<64xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<64xf32>
  %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
// ----- becomes
func.func @main(%q: tensor<8x64xf32>, %r: tensor<3x64xf32>) -> tensor<8x3xf32> {
  %0 = stablehlo.broadcast_in_dim %q, dims = [0, 2] : (tensor<8x64xf32>) -> tensor<8x3x64xf32>
  %1 = stablehlo.broadcast_in_dim %r, dims = [1, 2] : (tensor<3x64xf32>) -> tensor<8x3x64xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<8x3x64xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<8x3x64xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x3x64xf32>, tensor<f32>) -> tensor<8x3xf32>
  return %4 : tensor<8x3xf32>
}
