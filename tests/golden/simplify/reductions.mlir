// RUN: simplify
// Maxima may be taken in any order and once; sums of floats stay as they were written.
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<3x4xi32>) -> (tensor<f32>, tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<3x4xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.transpose %i, dims = [1, 0] : (tensor<3x4xi32>) -> tensor<4x3xi32>
  %5 = stablehlo.reduce(%4 init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xi32>, tensor<i32>) -> tensor<i32>
  %6 = stablehlo.slice %x [0:1, 0:4, 0:1] : (tensor<3x4x5xf32>) -> tensor<1x4x1xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x4x1xf32>, tensor<f32>) -> tensor<4xf32>
  %8 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %1, %3, %5, %7, %8 : tensor<f32>, tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<3x4xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x4x5xf32>, %i: tensor<3x4xi32>) -> (tensor<f32>, tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<3x4xf32>) {
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %cst) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<f32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %3 = stablehlo.reduce(%i init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xi32>, tensor<i32>) -> tensor<i32>
  %4 = stablehlo.slice %x [0:1, 0:4, 0:1] : (tensor<3x4x5xf32>) -> tensor<1x4x1xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x4x1xf32>) -> tensor<4xf32>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
  %6 = stablehlo.add %5, %cst_1 : tensor<4xf32>
  %7 = stablehlo.reduce(%x init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %0, %2, %3, %6, %7 : tensor<f32>, tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<3x4xf32>
}
