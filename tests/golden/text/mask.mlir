// RUN: raise
// A product with a mask is a choice, on either side and in loops; of broadcast masks, of integers and of bf16 it stays.
func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xi1>, %arg2: tensor<2x3xf32>, %arg3: tensor<3xi32>, %arg4: tensor<3xbf16>) -> (tensor<3xf32>, tensor<2x3xf32>, tensor<3xi32>, tensor<3xbf16>) {
  %0 = stablehlo.convert %arg1 : (tensor<3xi1>) -> tensor<3xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<3xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.multiply %arg2, %3 : tensor<2x3xf32>
  %5 = stablehlo.convert %arg1 : (tensor<3xi1>) -> tensor<3xi32>
  %6 = stablehlo.multiply %arg3, %5 : tensor<3xi32>
  %7 = stablehlo.convert %arg1 : (tensor<3xi1>) -> tensor<3xbf16>
  %8 = stablehlo.multiply %arg4, %7 : tensor<3xbf16>
  return %2, %4, %6, %8 : tensor<3xf32>, tensor<2x3xf32>, tensor<3xi32>, tensor<3xbf16>
}
// ----- becomes
func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xi1>, %arg2: tensor<2x3xf32>, %arg3: tensor<3xi32>, %arg4: tensor<3xbf16>) -> (tensor<3xf32>, tensor<2x3xf32>, tensor<3xi32>, tensor<3xbf16>) {
  %0 = stablehlo.convert %arg1 : (tensor<3xi1>) -> tensor<3xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
  %1 = stablehlo.select %arg1, %arg0, %cst : tensor<3xi1>, tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.multiply %arg2, %2 : tensor<2x3xf32>
  %4 = stablehlo.convert %arg1 : (tensor<3xi1>) -> tensor<3xi32>
  %5 = stablehlo.multiply %arg3, %4 : tensor<3xi32>
  %6 = stablehlo.convert %arg1 : (tensor<3xi1>) -> tensor<3xbf16>
  %7 = stablehlo.multiply %arg4, %6 : tensor<3xbf16>
  return %1, %3, %5, %7 : tensor<3xf32>, tensor<2x3xf32>, tensor<3xi32>, tensor<3xbf16>
}
