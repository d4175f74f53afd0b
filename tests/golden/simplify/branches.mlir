// RUN: simplify
// A known index is its branch, out of range the last. A result that all branches give alike needs no case, nor does an operand that none reads.
func.func @main(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %k = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.case"(%k) ({
    %1 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.cosine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  %2:3 = "stablehlo.case"(%i) ({
    %3 = stablehlo.sine %x : tensor<f32>
    %4 = stablehlo.tanh %y : tensor<f32>
    stablehlo.return %3, %y, %4 : tensor<f32>, tensor<f32>, tensor<f32>
  }, {
    %3 = stablehlo.cosine %x : tensor<f32>
    stablehlo.return %3, %y, %y : tensor<f32>, tensor<f32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %0, %2#0, %2#1 : tensor<f32>, tensor<f32>, tensor<f32>
}
// ----- becomes
func.func @main(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.cosine %x : tensor<f32>
  %1 = "stablehlo.case"(%i) ({
    %2 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }, {
    %3 = stablehlo.cosine %x : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0, %1, %y : tensor<f32>, tensor<f32>, tensor<f32>
}
