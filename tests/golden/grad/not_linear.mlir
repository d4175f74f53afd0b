// RUN: transpose 1
func.func @main(%k: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %k : tensor<3xf32> loc("user.c":3:0)
  return %0 : tensor<3xf32>
}
// ----- becomes
error: transposing ADD (user.c:3): it adds something that does not depend on what it must be linear in
