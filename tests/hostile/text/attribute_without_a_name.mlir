func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] {"" = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
