// RUN: raise
// applies, a region of one monoid, a start value of another kind, any region.
func.func @main(%x: tensor<3x4xf32>, %s: tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %max = "stablehlo.reduce"(%x, %low) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %b, %a : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  %from = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  %any = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
   reducer(%l: tensor<f32>, %r: tensor<f32>) {
    %half = stablehlo.constant dense<5.0e-01> : tensor<f32>
    %p = stablehlo.multiply %l, %half : tensor<f32>
    %q = stablehlo.add %p, %r : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }
  return %sum, %max, %from, %any : tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<3xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xf32>, %s: tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<3xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.reduce(%x init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.add %s, %2 : tensor<f32>
  %4 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
   reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %5 = stablehlo.multiply %arg2, %cst_1 : tensor<f32>
    %6 = stablehlo.add %5, %arg3 : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }
  return %0, %1, %3, %4 : tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<3xf32>
}
