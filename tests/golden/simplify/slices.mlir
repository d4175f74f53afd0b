// RUN: simplify
// A slice goes inside a slice, a transpose, a reverse, a pad and a concatenation.
func.func @main(%x: tensor<8x6xf32>, %f: tensor<f32>) -> (tensor<2x6xf32>, tensor<2x8xf32>, tensor<3x6xf32>, tensor<8x6xf32>, tensor<1x6xf32>, tensor<4x6xf32>) {
  %0 = stablehlo.slice %x [1:8:2, 0:6] : (tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.slice %0 [1:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
  %3 = stablehlo.slice %2 [0:2, 0:8] : (tensor<6x8xf32>) -> tensor<2x8xf32>
  %4 = stablehlo.reverse %x, dims = [0] : tensor<8x6xf32>
  %5 = stablehlo.slice %4 [0:3, 0:6] : (tensor<8x6xf32>) -> tensor<3x6xf32>
  %6 = stablehlo.pad %x, %f, low = [2, 0], high = [1, 1], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<11x7xf32>
  %7 = stablehlo.slice %6 [2:10, 0:6] : (tensor<11x7xf32>) -> tensor<8x6xf32>
  %8 = stablehlo.slice %6 [0:1, 1:7] : (tensor<11x7xf32>) -> tensor<1x6xf32>
  %9 = stablehlo.concatenate %x, %4, dim = 0 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<16x6xf32>
  %10 = stablehlo.slice %9 [3:7, 0:6] : (tensor<16x6xf32>) -> tensor<4x6xf32>
  return %1, %3, %5, %7, %8, %10 : tensor<2x6xf32>, tensor<2x8xf32>, tensor<3x6xf32>, tensor<8x6xf32>, tensor<1x6xf32>, tensor<4x6xf32>
}
// ----- becomes
func.func @main(%x: tensor<8x6xf32>, %f: tensor<f32>) -> (tensor<2x6xf32>, tensor<2x8xf32>, tensor<3x6xf32>, tensor<8x6xf32>, tensor<1x6xf32>, tensor<4x6xf32>) {
  %0 = stablehlo.slice %x [3:8:4, 0:6] : (tensor<8x6xf32>) -> tensor<2x6xf32>
  %1 = stablehlo.slice %x [0:8, 0:2] : (tensor<8x6xf32>) -> tensor<8x2xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
  %3 = stablehlo.slice %x [5:8, 0:6] : (tensor<8x6xf32>) -> tensor<3x6xf32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<3x6xf32>
  %5 = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<1x6xf32>
  %6 = stablehlo.slice %x [3:7, 0:6] : (tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0, %2, %4, %x, %5, %6 : tensor<2x6xf32>, tensor<2x8xf32>, tensor<3x6xf32>, tensor<8x6xf32>, tensor<1x6xf32>, tensor<4x6xf32>
}
