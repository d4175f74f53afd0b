// RUN: simplify
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi1>) {
  %one = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %least = stablehlo.constant dense<-0.000000e+00> : tensor<4xf32>
  %eight = stablehlo.constant dense<8.000000e+00> : tensor<4xf32>
  %0 = stablehlo.multiply %one, %x : tensor<4xf32>
  %1 = stablehlo.add %0, %least : tensor<4xf32>
  %2 = stablehlo.negate %y : tensor<4xf32>
  %3 = stablehlo.add %x, %2 : tensor<4xf32>
  %4 = stablehlo.negate %2 : tensor<4xf32>
  %5 = stablehlo.divide %x, %eight : tensor<4xf32>
  %6 = stablehlo.subtract %i, %i : tensor<4xi32>
  %c1 = stablehlo.constant dense<1> : tensor<4xi32>
  %c2 = stablehlo.constant dense<2> : tensor<4xi32>
  %7 = stablehlo.add %i, %c1 : tensor<4xi32>
  %8 = stablehlo.add %7, %c2 : tensor<4xi32>
  %9 = stablehlo.not %p : tensor<4xi1>
  %10 = stablehlo.select %9, %x, %y : tensor<4xi1>, tensor<4xf32>
  %11 = stablehlo.compare LT, %i, %c1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %12 = stablehlo.not %11 : tensor<4xi1>
  return %1, %3, %4, %5, %6, %8, %10, %12 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi1>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi1>) {
  %0 = stablehlo.subtract %x, %y : tensor<4xf32>
  %cst = stablehlo.constant dense<1.250000e-01> : tensor<4xf32>
  %1 = stablehlo.multiply %x, %cst : tensor<4xf32>
  %c = stablehlo.constant dense<3> : tensor<4xi32>
  %2 = stablehlo.add %i, %c : tensor<4xi32>
  %3 = stablehlo.select %p, %y, %x : tensor<4xi1>, tensor<4xf32>
  %c_0 = stablehlo.constant dense<1> : tensor<4xi32>
  %4 = stablehlo.compare GE, %i, %c_0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %c_1 = stablehlo.constant dense<0> : tensor<4xi32>
  return %x, %0, %y, %1, %c_1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi1>
}
