// seed 1197: choosing lanes never ended where a product without a sum, which is no loop, is folded
func.func @main(%arg1: tensor<7xf16>) -> tensor<7xf16> {
  %cst = stablehlo.constant dense<-9.848633e-01> : tensor<13x7xf16>
  %0 = stablehlo.dot_general %cst, %arg1, batching_dims = [1] x [0], contracting_dims = [] x [] : (tensor<13x7xf16>, tensor<7xf16>) -> tensor<7x13xf16>
  %1 = stablehlo.sine %0 : tensor<7x13xf16>
  %c = stablehlo.constant dense<0xFC00> : tensor<f16>
  %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<7x13xf16>, tensor<f16>) -> tensor<7xf16>
  return %2 : tensor<7xf16>
}
func.func @inputs() -> tensor<7xf16> {
  %0 = stablehlo.iota dim = 0 : tensor<7xf16>
  return %0 : tensor<7xf16>
}
