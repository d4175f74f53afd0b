// RUN: vmap 8 -1,1 -> 1
// The batch axis anywhere, in and out.
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.subtract %x, %y : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// ----- becomes
func.func @main(%x: tensor<4x3x8xf32>, %y: tensor<4x8x3xf32>) -> tensor<4x8x3xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<4x3x8xf32>) -> tensor<8x4x3xf32>
  %1 = stablehlo.transpose %y, dims = [1, 0, 2] : (tensor<4x8x3xf32>) -> tensor<8x4x3xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<8x4x3xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<8x4x3xf32>) -> tensor<4x8x3xf32>
  return %3 : tensor<4x8x3xf32>
}
