// strict mode summed planes where eager mode, whose operands lie in memory, summed real and imaginary parts in turn
func.func @main(%arg0: tensor<24x24xcomplex<f32>>, %arg1: tensor<24xcomplex<f32>>) -> (tensor<24xcomplex<f32>>, tensor<24xcomplex<f32>>) {
  %0 = stablehlo.multiply %arg0, %arg0 : tensor<24x24xcomplex<f32>>
  %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<24x24xcomplex<f32>>, tensor<24xcomplex<f32>>) -> tensor<24xcomplex<f32>>
  %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<24x24xcomplex<f32>>) -> tensor<24x24xcomplex<f32>>
  %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0] : (tensor<24x24xcomplex<f32>>, tensor<24xcomplex<f32>>) -> tensor<24xcomplex<f32>>
  return %1, %3 : tensor<24xcomplex<f32>>, tensor<24xcomplex<f32>>
}
func.func @inputs() -> (tensor<24x24xcomplex<f32>>, tensor<24xcomplex<f32>>) {
  %0 = stablehlo.iota dim = 0 : tensor<576xf32>
  %1 = stablehlo.sine %0 : tensor<576xf32>
  %2 = stablehlo.cosine %0 : tensor<576xf32>
  %3 = stablehlo.complex %1, %2 : tensor<576xcomplex<f32>>
  %4 = stablehlo.reshape %3 : (tensor<576xcomplex<f32>>) -> tensor<24x24xcomplex<f32>>
  %5 = stablehlo.slice %3 [100:124] : (tensor<576xcomplex<f32>>) -> tensor<24xcomplex<f32>>
  return %4, %5 : tensor<24x24xcomplex<f32>>, tensor<24xcomplex<f32>>
}
