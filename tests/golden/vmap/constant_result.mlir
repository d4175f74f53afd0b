// RUN: vmap 8
// A result that depends on no argument is repeated.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  return %c : tensor<2xf32>
}
// ----- becomes
func.func @main(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
