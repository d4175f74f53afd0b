// RUN: print
func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xi32>, %s: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<f32>) {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %k = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%x, %y, %c, %k) <{window_strides = array<i64: 2, 3>, window_dimensions = array<i64: 2, 3>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %d: tensor<f32>, %e: tensor<i32>):
    %1 = stablehlo.maximum %a, %d : tensor<f32>
    %2 = stablehlo.add %b, %e : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %3 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x5xf32>
  %5 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %6 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %6 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 3>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x6xf32>
  %7 = "stablehlo.reduce_window"(%c, %z) <{window_dimensions = array<i64>, padding = dense<> : tensor<0x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0#0, %0#1, %3, %5, %7 : tensor<2x2xf32>, tensor<2x2xi32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xi32>, %s: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<f32>) {
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%x, %y, %cst, %c) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<f32>, %arg6: tensor<i32>):
    %1 = stablehlo.maximum %arg3, %arg5 : tensor<f32>
    %2 = stablehlo.add %arg4, %arg6 : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = "stablehlo.reduce_window"(%x, %cst_0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
    %4 = stablehlo.add %arg7, %arg8 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x5xf32>
  %5 = "stablehlo.select_and_scatter"(%x, %s, %cst_0) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 3>}> ({
  ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
    %6 = stablehlo.compare GE, %arg9, %arg10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  }, {
  ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
    %7 = stablehlo.add %arg11, %arg12 : tensor<f32>
    stablehlo.return %7 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x6xf32>
  %8 = "stablehlo.reduce_window"(%cst, %cst_0) <{base_dilations = array<i64>, padding = dense<> : tensor<0x2xi64>, window_dilations = array<i64>, window_dimensions = array<i64>, window_strides = array<i64>}> ({
  ^bb0(%arg13: tensor<f32>, %arg14: tensor<f32>):
    %9 = stablehlo.add %arg13, %arg14 : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0#0, %0#1, %3, %5, %8 : tensor<2x2xf32>, tensor<2x2xi32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<f32>
}
