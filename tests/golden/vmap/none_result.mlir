// RUN: vmap 8 0 -> none
// A mapped result cannot be the same for all.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- becomes
error: output 0 depends on a mapped argument, so it needs an out axis (not none)
