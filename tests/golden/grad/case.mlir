// RUN: grad 1 | simplify
// The branches keep sine's cosine and the exponential in one place.
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %2 = stablehlo.exponential %x : tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  %3 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
// ----- becomes
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %0:2 = "stablehlo.case"(%i) ({
    %1 = stablehlo.sine %x : tensor<4xf32>
    %2 = stablehlo.cosine %x : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }, {
    %3 = stablehlo.exponential %x : tensor<4xf32>
    stablehlo.return %3, %3 : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%0#0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %4, %0#1 : tensor<f32>, tensor<4xf32>
}
