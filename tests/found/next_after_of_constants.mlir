// The neighbour of a narrow float that is known is folded in its own format.
func.func @main(%x: tensor<f16>) -> (tensor<f16>, tensor<bf16>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f16>
  %1 = stablehlo.constant dense<2.0> : tensor<f16>
  %2 = chlo.next_after %0, %1 : tensor<f16>, tensor<f16> -> tensor<f16>
  %3 = stablehlo.constant dense<1.0> : tensor<bf16>
  %4 = stablehlo.constant dense<0.0> : tensor<bf16>
  %5 = chlo.next_after %3, %4 : tensor<bf16>, tensor<bf16> -> tensor<bf16>
  %6 = stablehlo.add %2, %x : tensor<f16>
  return %6, %5 : tensor<f16>, tensor<bf16>
}
func.func @inputs() -> tensor<f16> {
  %cst = stablehlo.constant dense<0x0000> : tensor<f16>
  return %cst : tensor<f16>
}
