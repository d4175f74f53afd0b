// RUN: vmap 3 none,0,none
// One index for all: the branch stays. A result of one branch depends on the batch, so it does in all.
func.func @main(%i: tensor<i32>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = "stablehlo.case"(%i) ({
    %a = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %a, %y : tensor<2xf32>, tensor<2xf32>
  }, {
    %a = stablehlo.sine %y : tensor<2xf32>
    stablehlo.return %a, %a : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
// ----- becomes
func.func @main(%i: tensor<i32>, %x: tensor<3x2xf32>, %y: tensor<2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %0:2 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %x : tensor<3x2xf32>
    stablehlo.return %1, %y : tensor<3x2xf32>, tensor<2xf32>
  }, {
    %2 = stablehlo.sine %y : tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
    stablehlo.return %3, %2 : tensor<3x2xf32>, tensor<2xf32>
  }) : (tensor<i32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  %4 = stablehlo.broadcast_in_dim %0#1, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  return %0#0, %4 : tensor<3x2xf32>, tensor<3x2xf32>
}
