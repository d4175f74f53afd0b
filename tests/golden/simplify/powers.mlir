// RUN: simplify
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
  %one = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %two = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
  %down = stablehlo.constant dense<-1.000000e+00> : tensor<4xf32>
  %half = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
  %ione = stablehlo.constant dense<2> : tensor<4xi32>
  %idown = stablehlo.constant dense<-1> : tensor<4xi32>
  %0 = stablehlo.power %x, %zero : tensor<4xf32>
  %1 = stablehlo.power %x, %one : tensor<4xf32>
  %2 = stablehlo.power %x, %two : tensor<4xf32>
  %3 = stablehlo.power %x, %down : tensor<4xf32>
  %4 = stablehlo.power %x, %half : tensor<4xf32>
  %5 = stablehlo.power %i, %ione : tensor<4xi32>
  %6 = stablehlo.power %i, %idown : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %1 = stablehlo.divide %cst, %x : tensor<4xf32>
  %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
  %2 = stablehlo.power %x, %cst_0 : tensor<4xf32>
  %3 = stablehlo.multiply %i, %i : tensor<4xi32>
  %c = stablehlo.constant dense<-1> : tensor<4xi32>
  %4 = stablehlo.power %i, %c : tensor<4xi32>
  return %cst, %x, %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}
