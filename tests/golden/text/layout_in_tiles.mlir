// RUN: print
func.func @main(%x: tensor<4x2x3xf32> {mhlo.layout_mode = "{2,1,0:T(8,128)}"}) -> tensor<4x2x3xf32> {
  return %x : tensor<4x2x3xf32>
}
// ----- becomes
error: 2:59: not supported: parameter 0 in layout {2,1,0:T(8,128)}; known are orders of its axes
