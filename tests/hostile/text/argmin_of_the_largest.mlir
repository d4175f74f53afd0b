// RUN: print
// Ours are read as the op, those of others by their decomposition.
func.func @main(%x: tensor<2147483647x2147483647xf16>) -> (tensor<2147483647xi64>, tensor<2147483647x2147483647xf16>, tensor<2147483647x2147483647xf16>) {
  %0 = stablehlo.composite "weft.argmin" %x {composite_attributes = {attr = array<i64: 1>}, decomposition = @never} : (tensor<2147483647x2147483647xf16>) -> tensor<2147483647xi64>
  %1 = stablehlo.composite "weft.fma" %x, %x, %x {decomposition = @never} : (tensor<2147483647x2147483647xf16>, tensor<2147483647x2147483647xf16>, tensor<2147483647x2147483647xf16>) -> tensor<2147483647x2147483647xf16>
  %2 = stablehlo.composite "chlo.twice" %x {composite_attributes = {tensor = 1 : i64}, decomposition = @twice, version = 11 : i32} : (tensor<2147483647x2147483647xf16>) -> tensor<2147483647x2147483647xf16>
  return %0, %1, %2 : tensor<2147483647xi64>, tensor<2147483647x2147483647xf16>, tensor<2147483647x2147483647xf16>
}
func.func private @twice(%x: tensor<2147483647x2147483647xf16>) -> tensor<2147483647x2147483647xf16> {
  %0 = stablehlo.add %x, %x : tensor<2147483647x2147483647xf16>
  return %0 : tensor<2147483647x2147483647xf16>
}
