// RUN: print
// CHLO's implicit broadcasting becomes explicit.
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4xf32>, %s: tensor<f32>, %r: tensor<3x1xf32>, %z: tensor<3xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>) {
  %0 = chlo.broadcast_add %x, %y : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %1 = chlo.broadcast_multiply %s, %r : (tensor<f32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %2 = chlo.broadcast_divide %0, %1 : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %3 = "chlo.broadcast_compare"(%x, %y) {comparison_direction = #chlo<comparison_direction GE>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  %4 = "chlo.broadcast_subtract"(%x, %z) {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  return %0, %2, %3, %4 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4xf32>, %s: tensor<f32>, %r: tensor<3x1xf32>, %z: tensor<3xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.add %x, %0 : tensor<3x4xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
  %3 = stablehlo.multiply %2, %r : tensor<3x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
  %5 = stablehlo.divide %1, %4 : tensor<3x4xf32>
  %6 = stablehlo.compare GE, %x, %0, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  %7 = stablehlo.broadcast_in_dim %z, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %8 = stablehlo.subtract %x, %7 : tensor<3x4xf32>
  return %1, %5, %6, %8 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>
}
