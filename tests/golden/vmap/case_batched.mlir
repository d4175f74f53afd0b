// RUN: vmap 3 0,0,none
// An index per example: all branches are computed, and selected from.
func.func @main(%i: tensor<i32>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.case"(%i) ({
    %a = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %a : tensor<2xf32>
  }, {
    %b = stablehlo.sine %y : tensor<2xf32>
    stablehlo.return %b : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- becomes
func.func @main(%i: tensor<3xi32>, %x: tensor<3x2xf32>, %y: tensor<2xf32>) -> tensor<3x2xf32> {
  %c = stablehlo.constant dense<1> : tensor<3xi32>
  %0 = stablehlo.compare EQ, %i, %c, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %1 = stablehlo.sine %y : tensor<2xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xi1>) -> tensor<3x2xi1>
  %4 = stablehlo.select %3, %2, %x : tensor<3x2xi1>, tensor<3x2xf32>
  %c_0 = stablehlo.constant dense<0> : tensor<3xi32>
  %5 = stablehlo.compare EQ, %i, %c_0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %6 = stablehlo.negate %x : tensor<3x2xf32>
  %7 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi1>) -> tensor<3x2xi1>
  %8 = stablehlo.select %7, %6, %4 : tensor<3x2xi1>, tensor<3x2xf32>
  return %8 : tensor<3x2xf32>
}
