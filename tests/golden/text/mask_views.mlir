// RUN: raise
// A mask times 1, as a gradient has it, is one; so is one that is reshaped or transposed, and one of a product of
// matrices that sums nothing: batch axes only, or one element.
func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<6xi1>, %arg2: tensor<2x3xf32>, %arg3: tensor<3x2xi1>) -> (tensor<6xf32>, tensor<6x1xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<6xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<6xf32>
  %m = stablehlo.convert %arg1 : (tensor<6xi1>) -> tensor<6xf32>
  %0 = stablehlo.multiply %ones, %m : tensor<6xf32>
  %1 = stablehlo.multiply %0, %arg0 : tensor<6xf32>
  %2 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
  %3 = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<6x1xf32>
  %5 = stablehlo.convert %arg3 : (tensor<3x2xi1>) -> tensor<3x2xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %7 = stablehlo.multiply %arg2, %6 : tensor<2x3xf32>
  %8 = stablehlo.dot_general %arg0, %m, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %9 = stablehlo.dot_general %2, %3, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6xf32>
  return %1, %4, %7, %8, %9 : tensor<6xf32>, tensor<6x1xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<6xf32>
}
// ----- becomes
func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<6xi1>, %arg2: tensor<2x3xf32>, %arg3: tensor<3x2xi1>) -> (tensor<6xf32>, tensor<6x1xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<6xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<6xf32>
  %0 = stablehlo.select %arg1, %arg0, %cst : tensor<6xi1>, tensor<6xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<6xf32>) -> tensor<6x1xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<6xi1>) -> tensor<6x1xi1>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<6x1xf32>
  %3 = stablehlo.select %2, %1, %cst_0 : tensor<6x1xi1>, tensor<6x1xf32>
  %4 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<3x2xi1>) -> tensor<2x3xi1>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>
  %5 = stablehlo.select %4, %arg2, %cst_1 : tensor<2x3xi1>, tensor<2x3xf32>
  %6 = stablehlo.add %0, %cst : tensor<6xf32>
  return %0, %3, %5, %6, %6 : tensor<6xf32>, tensor<6x1xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<6xf32>
}
