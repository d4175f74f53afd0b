// RUN: simplify
// None of these may be simplified: 0.0 + -0.0, inf * 0, inf - inf, NaN == NaN, x / 3 rounded once, !(NaN < x), saturating i8 -> f32 -> u8.
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi1>, tensor<4xui8>) {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
  %three = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %1 = stablehlo.multiply %x, %zero : tensor<4xf32>
  %2 = stablehlo.subtract %x, %x : tensor<4xf32>
  %3 = stablehlo.compare EQ, %x, %x, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = stablehlo.divide %x, %three : tensor<4xf32>
  %5 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %6 = stablehlo.not %5 : tensor<4xi1>
  %7 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xf32>
  %8 = stablehlo.convert %7 : (tensor<4xf32>) -> tensor<4xui8>
  return %0, %1, %2, %3, %4, %6, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi1>, tensor<4xui8>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi1>, tensor<4xui8>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
  %0 = stablehlo.add %x, %cst : tensor<4xf32>
  %1 = stablehlo.multiply %x, %cst : tensor<4xf32>
  %2 = stablehlo.subtract %x, %x : tensor<4xf32>
  %3 = stablehlo.compare EQ, %x, %x, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
  %4 = stablehlo.divide %x, %cst_0 : tensor<4xf32>
  %5 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %6 = stablehlo.not %5 : tensor<4xi1>
  %7 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xf32>
  %8 = stablehlo.convert %7 : (tensor<4xf32>) -> tensor<4xui8>
  return %0, %1, %2, %3, %4, %6, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xi1>, tensor<4xui8>
}
