// RUN: print
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {mhlo.layout_mode}) {
  return %x : tensor<4xf32>
}
// ----- becomes
error: 2:55: mhlo.layout_mode of result 0 is no order of 1 axes: ""
