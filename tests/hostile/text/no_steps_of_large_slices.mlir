func.func @main(%arg0: tensor<0xf32>, %x: tensor<0x1099511627776xf32>) -> (tensor<0xf32>, tensor<0x1099511627776xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %arg0, %x {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 0 : i64, length = 0 : i64, reverse = true, unroll = 4 : i64}, decomposition = @weft.scan_0} : (tensor<0xf32>, tensor<0x1099511627776xf32>) -> (tensor<0xf32>, tensor<0x1099511627776xf32>)
  return %0#0, %0#1 : tensor<0xf32>, tensor<0x1099511627776xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<0xf32>, %row: tensor<1099511627776xf32>) -> (tensor<0xf32>, tensor<1099511627776xf32>) {
  return %arg0, %row : tensor<0xf32>, tensor<1099511627776xf32>
}
func.func  @weft.scan_0(%arg0: tensor<0xf32>, %arg1: tensor<0x1099511627776xf32>) -> (tensor<0xf32>, tensor<0x1099511627776xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<0x1099511627776xf32>
  return %arg0, %cst : tensor<0xf32>, tensor<0x1099511627776xf32>
}
