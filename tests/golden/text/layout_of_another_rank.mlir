// RUN: print
func.func @main(%x: tensor<4x2x3xf32> {mhlo.layout_mode = "{1,0}"}) -> tensor<4x2x3xf32> {
  return %x : tensor<4x2x3xf32>
}
// ----- becomes
error: 2:59: not supported: parameter 0, of rank 3, in layout {1,0}; all arrays are row-major
