// Numbers of two distributions: their means, those of their squares, that none is out of range, and that two ops differ.
func.func @check() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<2.0> : tensor<f32>
  %high = stablehlo.constant dense<5.0> : tensor<f32>
  %n = stablehlo.constant dense<40000.0> : tensor<f32>
  %shape = stablehlo.constant dense<[200, 200]> : tensor<2xi64>
  %u = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<200x200xf32>
  %v = "stablehlo.rng"(%low, %high, %shape) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<200x200xf32>
  %w = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<200x200xf32>
  %0 = stablehlo.reduce(%u init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<200x200xf32>, tensor<f32>) -> tensor<f32>
  %mean_u = stablehlo.divide %0, %n : tensor<f32>
  check.expect_almost_eq_const %mean_u, dense<3.5>, tolerance = 0.02 : tensor<f32>
  %least = stablehlo.reduce(%u init: %high) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<200x200xf32>, tensor<f32>) -> tensor<f32>
  check.expect_almost_eq_const %least, dense<2.0>, tolerance = 0.001 : tensor<f32>
  %below = stablehlo.maximum %least, %low : tensor<f32>
  check.expect_eq %below, %least : tensor<f32>, tensor<f32>
  %most = stablehlo.reduce(%u init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<200x200xf32>, tensor<f32>) -> tensor<f32>
  check.expect_almost_eq_const %most, dense<5.0>, tolerance = 0.001 : tensor<f32>
  %1 = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<200x200xf32>, tensor<f32>) -> tensor<f32>
  %mean_v = stablehlo.divide %1, %n : tensor<f32>
  check.expect_almost_eq_const %mean_v, dense<2.0>, tolerance = 0.08 : tensor<f32>
  %square = stablehlo.multiply %v, %v : tensor<200x200xf32>
  %2 = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<200x200xf32>, tensor<f32>) -> tensor<f32>
  %mean_square = stablehlo.divide %2, %n : tensor<f32>
  check.expect_almost_eq_const %mean_square, dense<29.0>, tolerance = 0.8 : tensor<f32>
  %uw = stablehlo.multiply %u, %w : tensor<200x200xf32>
  %3 = stablehlo.reduce(%uw init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<200x200xf32>, tensor<f32>) -> tensor<f32>
  %mean_uw = stablehlo.divide %3, %n : tensor<f32>
  check.expect_almost_eq_const %mean_uw, dense<12.25>, tolerance = 0.07 : tensor<f32>
  return
}
