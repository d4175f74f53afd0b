// RUN: print
func.func @main(%x: tensor<4x2x3xf32> {mhlo.layout_mode = "{0,1,1}"}) -> tensor<4x2x3xf32> {
  return %x : tensor<4x2x3xf32>
}
// ----- becomes
error: 2:59: mhlo.layout_mode of parameter 0 is no order of 3 axes: "{0,1,1}"
