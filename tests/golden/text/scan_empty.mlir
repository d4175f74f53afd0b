// RUN: print
// No steps: the decomposition has no slice to take, and needs none.
func.func @main(%c: tensor<f32>, %x: tensor<0x3xf32>) -> (tensor<f32>, tensor<0x3xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %c, %x {composite_attributes = {body = @body, carries = 1 : i64, invariants = 0 : i64, length = 0 : i64, reverse = true, unroll = 4 : i64}, decomposition = @none} : (tensor<f32>, tensor<0x3xf32>) -> (tensor<f32>, tensor<0x3xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<0x3xf32>
}
func.func private @body(%c: tensor<f32>, %row: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  return %c, %row : tensor<f32>, tensor<3xf32>
}
// ----- becomes
func.func @main(%arg0: tensor<f32>, %x: tensor<0x3xf32>) -> (tensor<f32>, tensor<0x3xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %arg0, %x {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 0 : i64, length = 0 : i64, reverse = true, unroll = 4 : i64}, decomposition = @weft.scan_0} : (tensor<f32>, tensor<0x3xf32>) -> (tensor<f32>, tensor<0x3xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<0x3xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<f32>, %row: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  return %arg0, %row : tensor<f32>, tensor<3xf32>
}
func.func private @weft.scan_0(%arg0: tensor<f32>, %arg1: tensor<0x3xf32>) -> (tensor<f32>, tensor<0x3xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<0x3xf32>
  return %arg0, %cst : tensor<f32>, tensor<0x3xf32>
}
