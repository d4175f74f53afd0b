// A window that folds by one axis after the other: a maximum where NaN and zeros of both signs are, a sum of integers that wraps, three axes.
func.func @main(%x: tensor<9x11xf32>, %y: tensor<2x7x8xi32>) -> (tensor<9x11xf32>, tensor<5x6xf32>, tensor<2x4x5xi32>, tensor<3x5x6xi32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 5, 5>, padding = dense<2> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9x11xf32>, tensor<f32>) -> tensor<9x11xf32>
  %2 = "stablehlo.reduce_window"(%x, %high) <{window_dimensions = array<i64: 5, 6>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<9x11xf32>, tensor<f32>) -> tensor<5x6xf32>
  %4 = "stablehlo.reduce_window"(%y, %zero) <{window_dimensions = array<i64: 1, 4, 4>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %5 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %5 : tensor<i32>
  }) : (tensor<2x7x8xi32>, tensor<i32>) -> tensor<2x4x5xi32>
  %6 = "stablehlo.reduce_window"(%y, %one) <{window_dimensions = array<i64: 2, 5, 5>, padding = dense<[[1, 1], [2, 0], [0, 2]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %7 = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %7 : tensor<i32>
  }) : (tensor<2x7x8xi32>, tensor<i32>) -> tensor<3x5x6xi32>
  return %0, %2, %4, %6 : tensor<9x11xf32>, tensor<5x6xf32>, tensor<2x4x5xi32>, tensor<3x5x6xi32>
}
func.func @inputs() -> (tensor<9x11xf32>, tensor<2x7x8xi32>) {
  %0 = stablehlo.constant dense<[[-0.0, -0.0, 0.0, -0.0, -0.0, -0.34, 1.53, -0.0, -2.2, -0.0, -0.0], [-0.0, 1.66, 1.6, -0.0, 0.0, -0.88, 1.76, -0.0, -1.05, -2.48, -2.74], [1.73, -2.13, 1.14, 1.7, -1.8, -1.75, -0.0, 0.0, 0.09, -0.0, -2.19], [-1.63, 0.0, 0.39, -2.41, -2.2, 0.0, -2.07, -0.38, -0.0, -0.0, -0.0], [-1.22, -0.0, 0.0, -0.0, -2.88, -0.4, 1.47, 0.04, -0.0, 1.55, -0.26], [-0.63, -0.0, -0.0, -2.6, 0.0, 0.66, 0x7FC00000, -0.0, -0.0, -1.95, -0.0], [-0.0, 0.85, -0.0, -0.0, -0.0, -0.0, -2.57, -0.0, -2.28, 0.24, -0.76], [-0.14, -2.3, -2.89, -2.28, 1.66, -2.91, -0.0, -0.0, -0.0, -0.0, 0.28], [-0.0, 1.13, 0.81, 1.31, -0.84, -2.73, -0.0, 1.8, 0.67, -0.68, -0.64]]> : tensor<9x11xf32>
  %1 = stablehlo.constant dense<[[[7, 2147483647, -2147483648, 65537, 12345, 1, 2147483647, 7], [0, 65537, -3, 2147483647, 0, -3, 12345, 12345], [65537, 65537, 7, 0, 7, -3, 0, 2147483647], [1, 65537, 65537, 7, 0, 7, -3, -2147483648], [12345, 12345, 0, 1, 0, 1, 12345, 2147483647], [-3, 0, -2147483648, 1, 0, 2147483647, -2147483648, 1], [1, 12345, 65537, 7, 2147483647, 65537, 7, 12345]], [[65537, 1, 1, 1, -2147483648, 65537, 65537, 12345], [1, 7, 2147483647, 12345, 65537, 1, -3, -2147483648], [-3, -3, -3, -2147483648, 12345, -2147483648, 2147483647, 0], [-3, 0, 2147483647, 1, 1, 12345, 12345, 1], [7, 65537, 2147483647, -2147483648, 7, -3, 0, 0], [-2147483648, 12345, 2147483647, 12345, 12345, 65537, -3, 2147483647], [-2147483648, -2147483648, -3, 65537, 1, -3, -3, 2147483647]]]> : tensor<2x7x8xi32>
  return %0, %1 : tensor<9x11xf32>, tensor<2x7x8xi32>
}
