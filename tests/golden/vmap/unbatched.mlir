// RUN: vmap 8 none,0
// What does not depend on the batch stays as it is and is broadcast where it is returned.
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.negate %y : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.negate %y : tensor<8x4xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  return %2, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
