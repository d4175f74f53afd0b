// RUN: print
func.func @main(%x: tensor<4x2xf32> {mhlo.layout_mode = "{1,0}"}, %n: tensor<f32> {mhlo.layout_mode = "{}"}) -> (tensor<4x2xf32> {mhlo.layout_mode = "auto"}) {
  %0 = stablehlo.add %x, %x : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
// ----- becomes
func.func @main(%x: tensor<4x2xf32>, %n: tensor<f32>) -> tensor<4x2xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
