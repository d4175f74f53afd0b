// RUN: simplify
// A transposed operand is read where it lies; an outer product needs no contraction, but begins at 0.0 as one does.
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x5xf32>, %u: tensor<4xf32>, %v: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.reshape %u : (tensor<4xf32>) -> tensor<4x1xf32>
  %3 = stablehlo.reshape %v : (tensor<5xf32>) -> tensor<1x5xf32>
  %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<4x1xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  return %1, %4 : tensor<4x5xf32>, tensor<4x5xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x5xf32>, %u: tensor<4xf32>, %v: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %1 = stablehlo.broadcast_in_dim %u, dims = [0] : (tensor<4xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<5xf32>) -> tensor<4x5xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<4x5xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x5xf32>
  %4 = stablehlo.add %3, %cst : tensor<4x5xf32>
  return %0, %4 : tensor<4x5xf32>, tensor<4x5xf32>
}
