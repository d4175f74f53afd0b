func.func @main(%c: tensor<i8>, %x: tensor<2x3xi8>) -> (tensor<i8>, tensor<2x3xi8>) {
  %0:2 = stablehlo.composite "weft.scan" %c, %x {composite_attributes = {body = @outer, carries = 1 : i64, invariants = 0 : i64, length = 2 : i64, reverse = false, unroll = 1 : i64}} : (tensor<i8>, tensor<2x3xi8>) -> (tensor<i8>, tensor<2x3xi8>)
  return %0#0, %0#1 : tensor<i8>, tensor<2x3xi8>
}
func.func private @outer(%c: tensor<i8>, %row: tensor<3xi8>) -> (tensor<i8>, tensor<3xi8>) {
  %0:2 = stablehlo.composite "weft.scan" %row, %c, %row {composite_attributes = {body = @inner, carries = 1 : i64, invariants = 1 : i64, length = 3 : i64, reverse = 63, unroll = 1 : i64}} : (tensor<3xi8>, tensor<i8>, tensor<3xi8>) -> (tensor<i8>, tensor<3xi8>)
  return %0#0, %0#1 : tensor<i8>, tensor<3xi8>
}
func.func private @inner(%all: tensor<3xi8>, %c: tensor<i8>, %v: tensor<i8>) -> (tensor<i8>, tensor<i8>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %all, %zero, sizes = [1] : (tensor<3xi8>, tensor<i32>) -> tensor<1xi8>
  %1 = stablehlo.reshape %0 : (tensor<1xi8>) -> tensor<i8>
  %2 = stablehlo.add %c, %1 : tensor<i8>
  %3 = stablehlo.multiply %2, %v : tensor<i8>
  return %2, %3 : tensor<i8>, tensor<i8>
}
