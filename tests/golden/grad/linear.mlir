// RUN: transpose 1
// y = k * 2 x, k known.
func.func @main(%k: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  %1 = stablehlo.multiply %0, %k : tensor<3xf32>
  return %1 : tensor<3xf32>
}
// ----- becomes
func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %arg1, %arg0 : tensor<3xf32>
  %1 = stablehlo.add %0, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
