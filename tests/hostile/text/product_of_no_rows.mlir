func.func @main(%a: tensor<0x2x3xi32>, %b: tensor<0x3x2147483648xi32>, %u: tensor<2x3xui8>, %v: tensor<3xi32>) -> (tensor<0x2x2147483648xi32>, tensor<2xi32>, tensor<0x2x2147483648xi32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<0x2x3xi32>, tensor<0x3x2147483648xi32>) -> tensor<0x2x2147483648xi32>
  %1 = stablehlo.convert %u : (tensor<2x3xui8>) -> tensor<2x3xi32>
  %2 = stablehlo.convert %v : (tensor<3xi32>) -> tensor<3xi32>
  %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>
  %4 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<0x2x3xi32>, tensor<0x3x2147483648xi32>) -> tensor<0x2x2147483648xi32>
  return %0, %3, %4 : tensor<0x2x2147483648xi32>, tensor<2xi32>, tensor<0x2x2147483648xi32>
}
