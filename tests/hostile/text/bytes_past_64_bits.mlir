// RUN: print
// CHLO's implicit broadcasting becomes explicit.
func.func @main(%x: tensor<2147483647x2147483647xbf16>, %y: tensor<2147483647xbf16>, %s: tensor<bf16>, %r: tensor<2147483647x2147483647xbf16>, %z: tensor<2147483647xbf16>) -> (tensor<2147483647x2147483647xbf16>, tensor<2147483647x2147483647xbf16>, tensor<2147483647x2147483647xi1>, tensor<2147483647x2147483647xbf16>) {
  %0 = chlo.broadcast_add %x, %y : (tensor<2147483647x2147483647xbf16>, tensor<2147483647xbf16>) -> tensor<2147483647x2147483647xbf16>
  %1 = chlo.broadcast_multiply %s, %r : (tensor<bf16>, tensor<2147483647x2147483647xbf16>) -> tensor<2147483647x2147483647xbf16>
  %2 = chlo.broadcast_divide %0, %1 : (tensor<2147483647x2147483647xbf16>, tensor<2147483647x2147483647xbf16>) -> tensor<2147483647x2147483647xbf16>
  %3 = "chlo.broadcast_compare"(%x, %y) {comparison_direction = #chlo<comparison_direction GE>} : (tensor<2147483647x2147483647xbf16>, tensor<2147483647xbf16>) -> tensor<2147483647x2147483647xi1>
  %4 = "chlo.broadcast_subtract"(%x, %z) {broadcast_dimensions = array<i64: 0>} : (tensor<2147483647x2147483647xbf16>, tensor<2147483647xbf16>) -> tensor<2147483647x2147483647xbf16>
  return %0, %2, %3, %4 : tensor<2147483647x2147483647xbf16>, tensor<2147483647x2147483647xbf16>, tensor<2147483647x2147483647xi1>, tensor<2147483647x2147483647xbf16>
}
