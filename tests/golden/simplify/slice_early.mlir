// RUN: simplify
// Only what is used sliced alone: the product is wanted whole.
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<3xf32>, tensor<8xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %x, %y : tensor<8xf32>
  %1 = stablehlo.exponential %0 : tensor<8xf32>
  %2 = stablehlo.slice %1 [1:4] : (tensor<8xf32>) -> tensor<3xf32>
  %3 = stablehlo.multiply %x, %y : tensor<8xf32>
  %4 = stablehlo.slice %3 [0:2] : (tensor<8xf32>) -> tensor<2xf32>
  return %2, %3, %4 : tensor<3xf32>, tensor<8xf32>, tensor<2xf32>
}
// ----- becomes
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<3xf32>, tensor<8xf32>, tensor<2xf32>) {
  %0 = stablehlo.slice %x [1:4] : (tensor<8xf32>) -> tensor<3xf32>
  %1 = stablehlo.slice %y [1:4] : (tensor<8xf32>) -> tensor<3xf32>
  %2 = stablehlo.add %0, %1 : tensor<3xf32>
  %3 = stablehlo.exponential %2 : tensor<3xf32>
  %4 = stablehlo.multiply %x, %y : tensor<8xf32>
  %5 = stablehlo.slice %4 [0:2] : (tensor<8xf32>) -> tensor<2xf32>
  return %3, %4, %5 : tensor<3xf32>, tensor<8xf32>, tensor<2xf32>
}
