// seed 5131: the gradient, strict, avx2: NaN where the window pads, as in quotient_of_zeros.mlir
func.func @main(%arg0: tensor<9x8xf32>) -> (tensor<9x15xf32>, tensor<9xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<9x8xf32>, tensor<f32>) -> tensor<9xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<9xf32>) -> tensor<9x8xf32>
  %2 = stablehlo.divide %arg0, %1 : tensor<9x8xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = "stablehlo.reduce_window"(%2, %cst_0) <{base_dilations = array<i64: 1, 2>, padding = dense<[[0, 0], [2, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 4>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %4 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<9x8xf32>, tensor<f32>) -> tensor<9x15xf32>
  return %3, %0 : tensor<9x15xf32>, tensor<9xf32>
}
func.func @inputs() -> tensor<9x8xf32> {
  %cst = stablehlo.constant dense<[[1.000000e+00, 3.6787945e-01, 1.3533528e-01, 3.6787945e-01, 1.3533528e-01, 3.6787945e-01, 1.000000e+00, 4.9787067e-02], [3.6787945e-01, 3.6787945e-01, 3.6787945e-01, 3.6787945e-01, 1.000000e+00, 3.6787945e-01, 3.6787945e-01, 1.3533528e-01], [1.000000e+00, 3.6787945e-01, 1.3533528e-01, 1.000000e+00, 3.6787945e-01, 3.6787945e-01, 1.000000e+00, 3.6787945e-01], [1.000000e+00, 1.3533528e-01, 1.000000e+00, 3.6787945e-01, 3.6787945e-01, 1.000000e+00, 3.6787945e-01, 4.9787067e-02], [1.3533528e-01, 1.3533528e-01, 3.6787945e-01, 1.3533528e-01, 1.3533528e-01, 4.9787067e-02, 1.000000e+00, 3.6787945e-01], [3.6787945e-01, 3.6787945e-01, 3.6787945e-01, 1.000000e+00, 1.000000e+00, 1.3533528e-01, 3.6787945e-01, 3.6787945e-01], [3.6787945e-01, 1.3533528e-01, 3.6787945e-01, 1.000000e+00, 1.3533528e-01, 1.3533528e-01, 3.6787945e-01, 4.9787067e-02], [1.000000e+00, 1.000000e+00, 1.000000e+00, 3.6787945e-01, 3.6787945e-01, 3.6787945e-01, 3.6787945e-01, 1.000000e+00], [1.3533528e-01, 1.000000e+00, 1.3533528e-01, 4.9787067e-02, 3.6787945e-01, 1.3533528e-01, 3.6787945e-01, 1.3533528e-01]]> : tensor<9x8xf32>
  return %cst : tensor<9x8xf32>
}
