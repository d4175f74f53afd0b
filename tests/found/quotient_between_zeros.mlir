// seed 5104: strict, avx2: NaN between the quotients, where the pad has 0, as in quotient_of_zeros.mlir
func.func @main(%arg0: tensor<1x5x1xf32>, %arg1: tensor<1x5x1xf32>) -> tensor<1x13x1xf32> {
  %0 = stablehlo.divide %arg0, %arg1 : tensor<1x5x1xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.pad %0, %cst, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 2, 0] : (tensor<1x5x1xf32>, tensor<f32>) -> tensor<1x13x1xf32>
  return %1 : tensor<1x13x1xf32>
}
func.func @inputs() -> (tensor<1x5x1xf32>, tensor<1x5x1xf32>) {
  %cst = stablehlo.constant dense<[[[1.6707684e+00], [1.6707684e+00], [1.6707684e+00], [1.6707684e+00], [6.550400e+04]]]> : tensor<1x5x1xf32>
  %cst_0 = stablehlo.constant dense<1.6707684e+00> : tensor<1x5x1xf32>
  return %cst, %cst_0 : tensor<1x5x1xf32>, tensor<1x5x1xf32>
}
