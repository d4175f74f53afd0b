// RUN: simplify
// A product with zeros is 0.0, or NaN where the other side is infinite or NaN; of ints it is 0.
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x5xi32>) -> (tensor<3x5xf32>, tensor<6x5xi32>) {
  %z = stablehlo.constant dense<-0.000000e+00> : tensor<4x5xf32>
  %0 = stablehlo.dot_general %x, %z, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %i = stablehlo.constant dense<0> : tensor<6x4xi32>
  %1 = stablehlo.dot_general %i, %y, contracting_dims = [1] x [0] : (tensor<6x4xi32>, tensor<4x5xi32>) -> tensor<6x5xi32>
  return %0, %1 : tensor<3x5xf32>, tensor<6x5xi32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x5xi32>) -> (tensor<3x5xf32>, tensor<6x5xi32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<3x4xf32>
  %0 = stablehlo.multiply %x, %cst : tensor<3x4xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
  %c = stablehlo.constant dense<0> : tensor<6x5xi32>
  return %2, %c : tensor<3x5xf32>, tensor<6x5xi32>
}
