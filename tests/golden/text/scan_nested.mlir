// RUN: print
// Loops in loops share their bodies' funcs.
func.func @main(%c: tensor<f32>, %x: tensor<2x3xf32>) -> (tensor<f32>, tensor<2x3xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %c, %x {composite_attributes = {body = @outer, carries = 1 : i64, invariants = 0 : i64, length = 2 : i64, reverse = false, unroll = 1 : i64}} : (tensor<f32>, tensor<2x3xf32>) -> (tensor<f32>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<2x3xf32>
}
func.func private @outer(%c: tensor<f32>, %row: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %row, %c, %row {composite_attributes = {body = @inner, carries = 1 : i64, invariants = 1 : i64, length = 3 : i64, reverse = true, unroll = 1 : i64}} : (tensor<3xf32>, tensor<f32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<3xf32>
}
func.func private @inner(%all: tensor<3xf32>, %c: tensor<f32>, %v: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %all, %zero, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.add %c, %1 : tensor<f32>
  %3 = stablehlo.multiply %2, %v : tensor<f32>
  return %2, %3 : tensor<f32>, tensor<f32>
}
// ----- becomes
func.func @main(%arg0: tensor<f32>, %x: tensor<2x3xf32>) -> (tensor<f32>, tensor<2x3xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %arg0, %x {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 0 : i64, length = 2 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<f32>, tensor<2x3xf32>) -> (tensor<f32>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<2x3xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<f32>, %row: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %row, %arg0, %row {composite_attributes = {body = @weft.scan_body_1, carries = 1 : i64, invariants = 1 : i64, length = 3 : i64, reverse = true, unroll = 1 : i64}, decomposition = @weft.scan_1} : (tensor<3xf32>, tensor<f32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<3xf32>
}
func.func private @weft.scan_0(%arg0: tensor<f32>, %arg1: tensor<2x3xf32>) -> (tensor<f32>, tensor<2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %cst) : tensor<i64>, tensor<f32>, tensor<2x3xf32>
  cond {
    %c_0 = stablehlo.constant dense<2> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.dynamic_slice %arg1, %iterArg, %c_1, sizes = [1, 3] : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x3xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x3xf32>) -> tensor<3xf32>
    %4:2 = stablehlo.composite "weft.scan" %3, %iterArg_0, %3 {composite_attributes = {body = @weft.scan_body_1, carries = 1 : i64, invariants = 1 : i64, length = 3 : i64, reverse = true, unroll = 1 : i64}, decomposition = @weft.scan_1} : (tensor<3xf32>, tensor<f32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
    %5 = stablehlo.reshape %4#1 : (tensor<3xf32>) -> tensor<1x3xf32>
    %6 = stablehlo.dynamic_update_slice %iterArg_1, %5, %iterArg, %c_1 : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %7 = stablehlo.add %iterArg, %c_2 : tensor<i64>
    stablehlo.return %7, %4#0, %6 : tensor<i64>, tensor<f32>, tensor<2x3xf32>
  }
  return %0#1, %0#2 : tensor<f32>, tensor<2x3xf32>
}
func.func private @weft.scan_body_1(%all: tensor<3xf32>, %arg1: tensor<f32>, %v: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %all, %c, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.add %arg1, %1 : tensor<f32>
  %3 = stablehlo.multiply %2, %v : tensor<f32>
  return %2, %3 : tensor<f32>, tensor<f32>
}
func.func private @weft.scan_1(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %cst) : tensor<i64>, tensor<f32>, tensor<3xf32>
  cond {
    %c_0 = stablehlo.constant dense<3> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<2> : tensor<i64>
    %2 = stablehlo.subtract %c_1, %iterArg : tensor<i64>
    %3 = stablehlo.dynamic_slice %arg2, %2, sizes = [1] : (tensor<3xf32>, tensor<i64>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.dynamic_slice %arg0, %c_2, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
    %6 = stablehlo.reshape %5 : (tensor<1xf32>) -> tensor<f32>
    %7 = stablehlo.add %iterArg_0, %6 : tensor<f32>
    %8 = stablehlo.multiply %7, %4 : tensor<f32>
    %9 = stablehlo.reshape %8 : (tensor<f32>) -> tensor<1xf32>
    %10 = stablehlo.dynamic_update_slice %iterArg_1, %9, %2 : (tensor<3xf32>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i64>
    %11 = stablehlo.add %iterArg, %c_3 : tensor<i64>
    stablehlo.return %11, %7, %10 : tensor<i64>, tensor<f32>, tensor<3xf32>
  }
  return %0#1, %0#2 : tensor<f32>, tensor<3xf32>
}
