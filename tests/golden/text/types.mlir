// RUN: print
// Conversions between the types, and bits seen as another type.
func.func @main(%x: tensor<2xf32>) -> (tensor<2xbf16>, tensor<2xi1>, tensor<2x4xui8>, tensor<2xf32>, tensor<2x32xi1>, tensor<2xf32>) {
  %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
  %1 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xi1>
  %2 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x4xui8>
  %3 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2xf32>
  %4 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x32xi1>
  %5 = stablehlo.bitcast_convert %4 : (tensor<2x32xi1>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2xbf16>, tensor<2xi1>, tensor<2x4xui8>, tensor<2xf32>, tensor<2x32xi1>, tensor<2xf32>
}
// ----- becomes
func.func @main(%x: tensor<2xf32>) -> (tensor<2xbf16>, tensor<2xi1>, tensor<2x4xui8>, tensor<2xf32>, tensor<2x32xi1>, tensor<2xf32>) {
  %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
  %1 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xi1>
  %2 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x4xui8>
  %3 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2xf32>
  %4 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xui32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xui32>) -> tensor<2x32xui32>
  %6 = stablehlo.iota dim = 1 : tensor<2x32xui32>
  %7 = stablehlo.shift_right_logical %5, %6 : tensor<2x32xui32>
  %c = stablehlo.constant dense<1> : tensor<2x32xui32>
  %8 = stablehlo.and %7, %c : tensor<2x32xui32>
  %9 = stablehlo.convert %8 : (tensor<2x32xui32>) -> tensor<2x32xi1>
  %10 = stablehlo.convert %9 : (tensor<2x32xi1>) -> tensor<2x32xui32>
  %11 = stablehlo.shift_left %10, %6 : tensor<2x32xui32>
  %c_0 = stablehlo.constant dense<0> : tensor<ui32>
  %12 = stablehlo.reduce(%11 init: %c_0) applies stablehlo.or across dimensions = [1] : (tensor<2x32xui32>, tensor<ui32>) -> tensor<2xui32>
  %13 = stablehlo.bitcast_convert %12 : (tensor<2xui32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %9, %13 : tensor<2xbf16>, tensor<2xi1>, tensor<2x4xui8>, tensor<2xf32>, tensor<2x32xi1>, tensor<2xf32>
}
