// A fold into one number, of more elements than are folded at once, in a map's region: eager's order is that of parts there, too.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %1 = stablehlo.iota dim = 0 : tensor<70001xf32>
    %2 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<70001xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<70001xf32>
    %4 = stablehlo.sine %3 : tensor<70001xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<70001xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @inputs() -> (tensor<3xf32>) {
  %0 = stablehlo.constant dense<[0.25, -1.5, 3.1]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}
