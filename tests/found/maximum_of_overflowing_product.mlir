// seed 120213: gradient-default, on avx2: output 3 c64[2], element 0: 1, eager has 0
func.func @main(%arg0: tensor<2xcomplex<f32>>, %arg1: tensor<2xcomplex<f32>>, %arg2: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<2xcomplex<f32>>
  %1 = stablehlo.maximum %arg2, %0 : tensor<2xcomplex<f32>>
  return %1 : tensor<2xcomplex<f32>>
}
func.func @inputs() -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  %0 = stablehlo.constant dense<[(1.0e30,2.0e30),(2.0e30,1.0e30)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(1.0e30,2.0e30),(2.0e30,1.0e30)]> : tensor<2xcomplex<f32>>
  %2 = stablehlo.constant dense<[(1.0,2.0),(2.0,1.0)]> : tensor<2xcomplex<f32>>
  return %0, %1, %2 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
}
