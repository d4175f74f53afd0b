// seed 62203: gradient-default, default: output 1 f64[5,31], element 7: 8.3e-18, eager has 0
func.func @main(%arg0: tensor<5x31xf64>) -> tensor<complex<f64>> {
  %0 = stablehlo.fft %arg0, type = RFFT, length = [31] : (tensor<5x31xf64>) -> tensor<5x16xcomplex<f64>>
  %cst = stablehlo.constant dense<(0xFFF0000000000000,0.000000e+00)> : tensor<complex<f64>>
  %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<5x16xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  return %1 : tensor<complex<f64>>
}
func.func @inputs() -> tensor<5x31xf64> {
  %0 = stablehlo.iota dim = 1 : tensor<5x31xf64>
  return %0 : tensor<5x31xf64>
}
