// RUN: raise
// Windows over the whole of an axis are prefixes: forwards, from the end; of narrow floats; by xor a scan. Not: another start, two axes.
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4xi32>, %h: tensor<4xf16>) -> (tensor<4x3xf32>, tensor<4xi32>, tensor<4xf16>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf16>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wide = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %hz = stablehlo.constant dense<0.0> : tensor<f16>
  %hm = stablehlo.constant dense<0x7C00> : tensor<f16>
  %0 = "stablehlo.reduce_window"(%x, %wide) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %1 = "stablehlo.reduce_window"(%y, %least) <{window_dimensions = array<i64: 4>, padding = dense<[[0, 3]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = "stablehlo.reduce_window"(%h, %hm) <{window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %r = stablehlo.minimum %a, %b : tensor<f16>
    stablehlo.return %r : tensor<f16>
  }) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %3 = "stablehlo.reduce_window"(%x, %one) <{window_dimensions = array<i64: 4, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %4 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 4, 3>, padding = dense<[[3, 0], [2, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %6 = "stablehlo.reduce_window"(%h, %hz) <{window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %r = stablehlo.add %a, %b : tensor<f16>
    stablehlo.return %r : tensor<f16>
  }) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %7 = "stablehlo.reduce_window"(%y, %i) <{window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.xor %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4, %6, %7 : tensor<4x3xf32>, tensor<4xi32>, tensor<4xf16>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf16>, tensor<4xi32>
}
// ----- becomes
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4xi32>, %h: tensor<4xf16>) -> (tensor<4x3xf32>, tensor<4xi32>, tensor<4xf16>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf16>, tensor<4xi32>) {
  %0 = stablehlo.composite "weft.cumulative" %x {composite_attributes = {applies = "stablehlo.add", dimension = 1 : i64, reverse = false}, decomposition = @weft.cumulative_0} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.composite "weft.cumulative" %y {composite_attributes = {applies = "stablehlo.maximum", dimension = 0 : i64, reverse = true}, decomposition = @weft.cumulative_1} : (tensor<4xi32>) -> tensor<4xi32>
  %2 = stablehlo.composite "weft.cumulative" %h {composite_attributes = {applies = "stablehlo.minimum", dimension = 0 : i64, reverse = false}, decomposition = @weft.cumulative_2} : (tensor<4xf16>) -> tensor<4xf16>
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %3 = "stablehlo.reduce_window"(%x, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %4 = stablehlo.add %arg3, %arg4 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %5 = "stablehlo.reduce_window"(%x, %cst_0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [2, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 3>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
    %6 = stablehlo.add %arg5, %arg6 : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %7 = stablehlo.composite "weft.cumulative" %h {composite_attributes = {applies = "stablehlo.add", dimension = 0 : i64, reverse = false}, decomposition = @weft.cumulative_3} : (tensor<4xf16>) -> tensor<4xf16>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %8:2 = stablehlo.composite "weft.scan" %c, %y {composite_attributes = {body = @weft.scan_body_4, carries = 1 : i64, invariants = 0 : i64, length = 4 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_4} : (tensor<i32>, tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>)
  return %0, %1, %2, %3, %5, %7, %8#1 : tensor<4x3xf32>, tensor<4xi32>, tensor<4xf16>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf16>, tensor<4xi32>
}
func.func private @weft.cumulative_0(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
func.func private @weft.cumulative_1(%arg0: tensor<4xi32>) -> tensor<4xi32> {
  %c = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%arg0, %c) <{base_dilations = array<i64: 1>, padding = dense<[[0, 3]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
  ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
    %1 = stablehlo.maximum %arg1, %arg2 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func private @weft.cumulative_2(%arg0: tensor<4xf16>) -> tensor<4xf16> {
  %cst = stablehlo.constant dense<0x7C00> : tensor<f16>
  %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1>, padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
  ^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
    %1 = stablehlo.minimum %arg1, %arg2 : tensor<f16>
    stablehlo.return %1 : tensor<f16>
  }) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
func.func private @weft.cumulative_3(%arg0: tensor<4xf16>) -> tensor<4xf16> {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
  %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1>, padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
  ^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<f16>
    stablehlo.return %1 : tensor<f16>
  }) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
func.func private @weft.scan_body_4(%arg0: tensor<i32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = stablehlo.xor %arg0, %arg1 : tensor<i32>
  return %0, %0 : tensor<i32>, tensor<i32>
}
func.func private @weft.scan_4(%arg0: tensor<i32>, %arg1: tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %c_0 = stablehlo.constant dense<0> : tensor<4xi32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %c_0) : tensor<i64>, tensor<i32>, tensor<4xi32>
  cond {
    %c_1 = stablehlo.constant dense<4> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.dynamic_slice %arg1, %iterArg, sizes = [1] : (tensor<4xi32>, tensor<i64>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %4 = stablehlo.xor %iterArg_0, %3 : tensor<i32>
    %5 = stablehlo.reshape %4 : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.dynamic_update_slice %iterArg_1, %5, %iterArg : (tensor<4xi32>, tensor<1xi32>, tensor<i64>) -> tensor<4xi32>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %7 = stablehlo.add %iterArg, %c_2 : tensor<i64>
    stablehlo.return %7, %4, %6 : tensor<i64>, tensor<i32>, tensor<4xi32>
  }
  return %0#1, %0#2 : tensor<i32>, tensor<4xi32>
}
