// RUN: print
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- becomes
error: 3:8: not supported: quantized types (stablehlo.uniform_quantize)
