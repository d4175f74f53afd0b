// RUN: print
// Equal states and unequal bits are two nodes.
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>, tensor<ui64>) {
  %output_state, %output = stablehlo.rng_bit_generator %s, algorithm =  THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  %1, %2 = stablehlo.rng_bit_generator %0#0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  return %output_state, %output, %2 : tensor<2xui64>, tensor<3xui32>, tensor<ui64>
}
// ----- becomes
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>, tensor<ui64>) {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %1:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  %2:2 = stablehlo.rng_bit_generator %1#0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  return %0#0, %0#1, %2#1 : tensor<2xui64>, tensor<3xui32>, tensor<ui64>
}
