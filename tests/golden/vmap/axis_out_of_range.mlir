// RUN: vmap 8 2
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- becomes
error: in axis 2 of argument 0 is out of range for a batch of f32[2] (-2 to 1)
