// RUN: print
func.func @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32> {mhlo.layout_mode = "{0,1}"}) {
  return %x, %x : tensor<4x2xf32>, tensor<4x2xf32>
}
// ----- becomes
error: 2:95: not supported: result 1, of rank 2, in layout {0,1}; all arrays are row-major
