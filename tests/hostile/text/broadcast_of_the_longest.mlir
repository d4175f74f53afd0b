// RUN: simplify
func.func @main(%x: tensor<9223372036854775807xi8>, %y: tensor<0xi8>) -> tensor<9223372036854775807x0x0xi8> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<9223372036854775807xi8>) -> tensor<9223372036854775807x0x0xi8>
  %1 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<0xi8>) -> tensor<9223372036854775807x0x0xi8>
  %2 = stablehlo.subtract %0, %1 : tensor<9223372036854775807x0x0xi8>
  %3 = stablehlo.abs %2 : tensor<9223372036854775807x0x0xi8>
  return %3 : tensor<9223372036854775807x0x0xi8>
}
