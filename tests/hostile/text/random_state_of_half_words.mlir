// RUN: print
// Equal states and unequal bits are two nodes.
func.func @main(%s: tensor<5xui32>) -> (tensor<5xui32>, tensor<5xui32>, tensor<5xui32>) {
  %output_state, %output = stablehlo.rng_bit_generator %s, algorithm =  THREE_FRY : () -> (tensor<5xui32>, tensor<5xui32>)
  %0:2 = "stablehlo.rng_bit_generator"(%output) <{algorithm = #stablehlo<algorithm THREE_FRY>}> : (tensor<5xui32>) -> (tensor<5xui32>, tensor<5xi64>)
  %1, %2 = stablehlo.rng_bit_generator %0#0, algorithm = PHILOX : (tensor<5xui32>) -> (tensor<5xui32>, tensor<5xui32>)
  return %0, %output, %2 : tensor<5xui32>, tensor<5xui32>, tensor<5xui32>
}
