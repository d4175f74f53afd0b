// RUN: print
// Positions that are data; shapes that are data only where they are constants.
func.func @main(%x: tensor<4x3xf32>, %u: tensor<1x3xf32>, %i: tensor<ui16>, %r: tensor<f32>) -> (tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<2x4x3xf32>, tensor<12xf32>, tensor<3x2xi32>, tensor<6x3xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 3] : (tensor<4x3xf32>, tensor<ui16>, tensor<ui16>) -> tensor<2x3xf32>
  %1 = "stablehlo.dynamic_update_slice"(%x, %u, %i, %i) : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<ui16>, tensor<ui16>) -> tensor<4x3xf32>
  %2 = stablehlo.dynamic_slice %r, sizes = [] : (tensor<f32>) -> tensor<f32>
  %shape = stablehlo.constant dense<[2, 4, 3]> : tensor<3xi64>
  %3 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1, 2] : (tensor<4x3xf32>, tensor<3xi64>) -> tensor<2x4x3xf32>
  %flat = stablehlo.constant dense<12> : tensor<1xi32>
  %4 = stablehlo.dynamic_reshape %x, %flat : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<12xf32>
  %two = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %5 = stablehlo.dynamic_iota %two, dim = 1 : (tensor<2xi64>) -> tensor<3x2xi32>
  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %none = stablehlo.constant dense<0> : tensor<2xi64>
  %6 = stablehlo.dynamic_pad %x, %r, %low, %low, %none : (tensor<4x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<6x3xf32>
  %limit = stablehlo.constant dense<[4, 3]> : tensor<2xi64>
  %by = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %7 = stablehlo.real_dynamic_slice %x, %none, %limit, %by : (tensor<4x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<2x4x3xf32>, tensor<12xf32>, tensor<3x2xi32>, tensor<6x3xf32>, tensor<2x3xf32>
}
// ----- becomes
func.func @main(%x: tensor<4x3xf32>, %u: tensor<1x3xf32>, %i: tensor<ui16>, %r: tensor<f32>) -> (tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<2x4x3xf32>, tensor<12xf32>, tensor<3x2xi32>, tensor<6x3xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 3] : (tensor<4x3xf32>, tensor<ui16>, tensor<ui16>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<ui16>, tensor<ui16>) -> tensor<4x3xf32>
  %2 = stablehlo.dynamic_slice %r, sizes = [] : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
  %4 = stablehlo.reshape %x : (tensor<4x3xf32>) -> tensor<12xf32>
  %5 = stablehlo.iota dim = 1 : tensor<3x2xi32>
  %6 = stablehlo.pad %x, %r, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<6x3xf32>
  %7 = stablehlo.slice %x [0:4:2, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<2x4x3xf32>, tensor<12xf32>, tensor<3x2xi32>, tensor<6x3xf32>, tensor<2x3xf32>
}
