// RUN: grad
// How many steps it takes nobody knows.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%a = %x) : tensor<f32>
  cond {
    %ten = stablehlo.constant dense<10.0> : tensor<f32>
    %p = stablehlo.compare LT, %a, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.multiply %a, %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// ----- becomes
error: the reverse of WHILE: reverse mode needs to know how many steps a loop takes. A loop that counts: weft_fori with .count, weft_scan, or a weft_while that begins at a constant (weft_zeros, not weft_scalar) and ends at one; any loop: forward mode, weft_jvp
