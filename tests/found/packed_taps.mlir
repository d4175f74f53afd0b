// A copy of an array that a stencil's taps were the first to want was packed for other loops than the kernel had in the end: loads outside of it.
func.func @main(%arg0: tensor<31x32x4xf64>, %arg1: tensor<31x1xui16>) -> tensor<31x1x29x4xf64> {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32, 4>}> : (tensor<31x32x4xf64>, tensor<31x1xui16>) -> tensor<31x1x32x4xf64>
  %1 = chlo.erf %0 : tensor<31x1x32x4xf64> -> tensor<31x1x32x4xf64>
  %2 = stablehlo.slice %1 [0:31, 0:1, 0:29, 0:4] : (tensor<31x1x32x4xf64>) -> tensor<31x1x29x4xf64>
  %3 = stablehlo.slice %1 [0:31, 0:1, 1:30, 0:4] : (tensor<31x1x32x4xf64>) -> tensor<31x1x29x4xf64>
  %4 = stablehlo.multiply %2, %3 : tensor<31x1x29x4xf64>
  %5 = stablehlo.slice %1 [0:31, 0:1, 2:31, 0:4] : (tensor<31x1x32x4xf64>) -> tensor<31x1x29x4xf64>
  %6 = stablehlo.subtract %4, %5 : tensor<31x1x29x4xf64>
  return %6 : tensor<31x1x29x4xf64>
}
func.func @inputs() -> (tensor<31x32x4xf64>, tensor<31x1xui16>) {
  %0 = stablehlo.constant dense<0.5> : tensor<31x32x4xf64>
  %1 = stablehlo.constant dense<30> : tensor<31x1xui16>
  return %0, %1 : tensor<31x32x4xf64>, tensor<31x1xui16>
}
