// RUN: vjp | simplify
// Neither product needs a transpose.
func.func @main(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<3x5xf32>
  %2 = stablehlo.add %0, %1 : tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xf32>, %arg3: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<3x5xf32>
  %2 = stablehlo.add %0, %1 : tensor<3x5xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%arg3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5xf32>
  %4 = stablehlo.dot_general %x, %arg3, contracting_dims = [0] x [0] : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %5 = stablehlo.dot_general %arg3, %w, contracting_dims = [1] x [1] : (tensor<3x5xf32>, tensor<4x5xf32>) -> tensor<3x4xf32>
  return %2, %5, %4, %3 : tensor<3x5xf32>, tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xf32>
}
