// A chain of minima whose operands are all constants at last: nothing was compared with NaN.
func.func @main() -> tensor<2x9xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x5xf32>
  %cst = stablehlo.constant dense<-1.6054688e+00> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[2, 2], [2, 3]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 3, 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %2 = stablehlo.minimum %arg0, %arg1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<2x9xf32>
  return %1 : tensor<2x9xf32>
}
func.func @inputs() {
  return
}
