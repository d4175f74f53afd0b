// RUN: grad 0,1 | simplify
// A recurrent network. The loop back needs no sum of the size of w: it gives each step's factors, and one product follows.
func.func @main(%w: tensor<4x4xf32>, %h: tensor<4xf32>, %xs: tensor<10x4xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.composite "weft.scan" %w, %h, %xs {composite_attributes = {body = @body, carries = 1 : i64, invariants = 1 : i64, length = 10 : i64, reverse = false, unroll = 1 : i64}, decomposition = @none} : (tensor<4x4xf32>, tensor<4xf32>, tensor<10x4xf32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @body(%w: tensor<4x4xf32>, %h: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.dot_general %w, %h, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// ----- becomes
func.func @main(%w: tensor<4x4xf32>, %h: tensor<4xf32>, %xs: tensor<10x4xf32>) -> (tensor<f32>, tensor<4x4xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %w, %h, %xs {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 1 : i64, length = 10 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<4x4xf32>, tensor<4xf32>, tensor<10x4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>)
  %1 = stablehlo.reshape %h : (tensor<4xf32>) -> tensor<1x4xf32>
  %2 = stablehlo.slice %0#1 [0:9, 0:4] : (tensor<10x4xf32>) -> tensor<9x4xf32>
  %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1x4xf32>, tensor<9x4xf32>) -> tensor<10x4xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%0#0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %5:2 = stablehlo.composite "weft.scan" %w, %cst_0, %0#1 {composite_attributes = {body = @weft.scan_body_1, carries = 1 : i64, invariants = 1 : i64, length = 10 : i64, reverse = true, unroll = 1 : i64}, decomposition = @weft.scan_1} : (tensor<4x4xf32>, tensor<4xf32>, tensor<10x4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>)
  %6 = stablehlo.dot_general %5#1, %3, contracting_dims = [0] x [0] : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<4x4xf32>
  return %4, %6, %5#0 : tensor<f32>, tensor<4x4xf32>, tensor<4xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %arg2 : tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  return %2, %2 : tensor<4xf32>, tensor<4xf32>
}
func.func private @weft.scan_0(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<10x4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<10x4xf32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %cst) : tensor<i64>, tensor<4xf32>, tensor<10x4xf32>
  cond {
    %c_0 = stablehlo.constant dense<10> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.dynamic_slice %arg2, %iterArg, %c_1, sizes = [1, 4] : (tensor<10x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x4xf32>) -> tensor<4xf32>
    %4 = stablehlo.dot_general %arg0, %iterArg_0, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %5 = stablehlo.add %4, %3 : tensor<4xf32>
    %6 = stablehlo.tanh %5 : tensor<4xf32>
    %7 = stablehlo.reshape %6 : (tensor<4xf32>) -> tensor<1x4xf32>
    %8 = stablehlo.dynamic_update_slice %iterArg_1, %7, %iterArg, %c_1 : (tensor<10x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<10x4xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %9 = stablehlo.add %iterArg, %c_2 : tensor<i64>
    stablehlo.return %9, %6, %8 : tensor<i64>, tensor<4xf32>, tensor<10x4xf32>
  }
  return %0#1, %0#2 : tensor<4xf32>, tensor<10x4xf32>
}
func.func private @weft.scan_body_1(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %0 = stablehlo.subtract %cst, %arg2 : tensor<4xf32>
  %1 = stablehlo.add %arg2, %cst : tensor<4xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<4xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<4xf32>
  %4 = stablehlo.dot_general %3, %arg0, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return %4, %3 : tensor<4xf32>, tensor<4xf32>
}
func.func private @weft.scan_1(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<10x4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<10x4xf32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %cst) : tensor<i64>, tensor<4xf32>, tensor<10x4xf32>
  cond {
    %c_0 = stablehlo.constant dense<10> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<9> : tensor<i64>
    %2 = stablehlo.subtract %c_1, %iterArg : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.dynamic_slice %arg2, %2, %c_2, sizes = [1, 4] : (tensor<10x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x4xf32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
    %5 = stablehlo.subtract %cst_0, %4 : tensor<4xf32>
    %6 = stablehlo.add %4, %cst_0 : tensor<4xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<4xf32>
    %8 = stablehlo.multiply %iterArg_0, %7 : tensor<4xf32>
    %9 = stablehlo.dot_general %8, %arg0, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %10 = stablehlo.reshape %8 : (tensor<4xf32>) -> tensor<1x4xf32>
    %11 = stablehlo.dynamic_update_slice %iterArg_1, %10, %2, %c_2 : (tensor<10x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<10x4xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i64>
    %12 = stablehlo.add %iterArg, %c_3 : tensor<i64>
    stablehlo.return %12, %9, %11 : tensor<i64>, tensor<4xf32>, tensor<10x4xf32>
  }
  return %0#1, %0#2 : tensor<4xf32>, tensor<10x4xf32>
}
