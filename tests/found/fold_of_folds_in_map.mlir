// A sum of sums in a map's region.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %1 = stablehlo.iota dim = 0 : tensor<200xf32>
    %2 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<200xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<200xf32>
    %4 = stablehlo.sine %3 : tensor<200xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.slice %4 [0:180] : (tensor<200xf32>) -> tensor<180xf32>
    %6 = stablehlo.reshape %5 : (tensor<180xf32>) -> tensor<6x30xf32>
    %7 = stablehlo.reduce(%6 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<6x30xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.slice %4 [180:200] : (tensor<200xf32>) -> tensor<20xf32>
    %9 = stablehlo.reduce(%8 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<20xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.reshape %9 : (tensor<f32>) -> tensor<1xf32>
    %12 = stablehlo.reduce(%7 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %12 : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @inputs() -> (tensor<3xf32>) {
  %0 = stablehlo.constant dense<[0.25, -1.5, 3.1]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}
