// seed 770317: fast, on avx2: output 0 c64[32], element 0: inf, eager has NaN
func.func @main(%arg0: tensor<32x4xcomplex<f32>>) -> tensor<32xcomplex<f32>> {
  %0 = stablehlo.multiply %arg0, %arg0 : tensor<32x4xcomplex<f32>>
  %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
  %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<32xcomplex<f32>>
  %2 = stablehlo.multiply %1, %1 : tensor<32xcomplex<f32>>
  %3 = stablehlo.add %2, %2 : tensor<32xcomplex<f32>>
  return %3 : tensor<32xcomplex<f32>>
}
func.func @inputs() -> tensor<32x4xcomplex<f32>> {
  %0 = stablehlo.constant dense<[(3.5e24,-2.6e24),(-7.5e36,5.5e36),(2.3e27,2.4e25),(-1.9e16,-5.1e17)]> : tensor<4xcomplex<f32>>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xcomplex<f32>>) -> tensor<32x4xcomplex<f32>>
  return %1 : tensor<32x4xcomplex<f32>>
}
