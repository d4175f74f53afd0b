// RUN: print
// Slices come before carries there, outputs before carries; another axis is moved to the front. A capture is an invariant.
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xi32>, %c: tensor<2xf32>, %k: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xi32>, tensor<2xf32>) {
  %0:2 = chlo.scan(%x) inits(%c) dimension=1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %1 = stablehlo.multiply %a, %k : tensor<2xf32>
    %2 = stablehlo.add %1, %b : tensor<2xf32>
    stablehlo.return %a, %2 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  %3 = "chlo.scan"(%y) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<i32>):
    %4 = stablehlo.negate %a : tensor<i32>
    stablehlo.return %4 : tensor<i32>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  return %0#0, %3, %0#1 : tensor<2x3xf32>, tensor<3xi32>, tensor<2xf32>
}
// ----- becomes
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xi32>, %arg2: tensor<2xf32>, %k: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xi32>, tensor<2xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1:2 = stablehlo.composite "weft.scan" %k, %arg2, %0 {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 1 : i64, length = 3 : i64, reverse = true, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)
  %2 = stablehlo.transpose %1#1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.composite "weft.scan" %y {composite_attributes = {body = @weft.scan_body_1, carries = 0 : i64, invariants = 0 : i64, length = 3 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_1} : (tensor<3xi32>) -> tensor<3xi32>
  return %2, %3, %1#0 : tensor<2x3xf32>, tensor<3xi32>, tensor<2xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.multiply %arg2, %arg0 : tensor<2xf32>
  %1 = stablehlo.add %0, %arg1 : tensor<2xf32>
  return %1, %arg2 : tensor<2xf32>, tensor<2xf32>
}
func.func private @weft.scan_0(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<3x2xf32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %cst) : tensor<i64>, tensor<2xf32>, tensor<3x2xf32>
  cond {
    %c_0 = stablehlo.constant dense<3> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<2> : tensor<i64>
    %2 = stablehlo.subtract %c_1, %iterArg : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.dynamic_slice %arg2, %2, %c_2, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i64>, tensor<i64>) -> tensor<1x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x2xf32>) -> tensor<2xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<2xf32>
    %6 = stablehlo.add %5, %iterArg_0 : tensor<2xf32>
    %7 = stablehlo.reshape %4 : (tensor<2xf32>) -> tensor<1x2xf32>
    %8 = stablehlo.dynamic_update_slice %iterArg_1, %7, %2, %c_2 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i64>
    %9 = stablehlo.add %iterArg, %c_3 : tensor<i64>
    stablehlo.return %9, %6, %8 : tensor<i64>, tensor<2xf32>, tensor<3x2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<3x2xf32>
}
func.func private @weft.scan_body_1(%arg0: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.negate %arg0 : tensor<i32>
  return %0 : tensor<i32>
}
func.func private @weft.scan_1(%arg0: tensor<3xi32>) -> tensor<3xi32> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %c_0 = stablehlo.constant dense<0> : tensor<3xi32>
  %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %c_0) : tensor<i64>, tensor<3xi32>
  cond {
    %c_1 = stablehlo.constant dense<3> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.dynamic_slice %arg0, %iterArg, sizes = [1] : (tensor<3xi32>, tensor<i64>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %4 = stablehlo.negate %3 : tensor<i32>
    %5 = stablehlo.reshape %4 : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.dynamic_update_slice %iterArg_0, %5, %iterArg : (tensor<3xi32>, tensor<1xi32>, tensor<i64>) -> tensor<3xi32>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %7 = stablehlo.add %iterArg, %c_2 : tensor<i64>
    stablehlo.return %7, %6 : tensor<i64>, tensor<3xi32>
  }
  return %0#1 : tensor<3xi32>
}
