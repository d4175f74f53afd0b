module @jit_convolutions attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x4x6xf32>, %arg1: tensor<3x2x3x8xf32>) -> (tensor<2x8x1x4xf32> {jax.result_info = "result[0]"}, tensor<3x2x3x8xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [1, 2], pad = [[1, -1], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x4x6xf32>, tensor<3x2x3x8xf32>) -> tensor<2x8x1x4xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x4x6xf32>, tensor<3x2x3x8xf32>) -> tensor<2x8x3x4xf32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x8x3x4xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<2x8x3x4xf32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x3x4xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<2x8x3x4xf32>
    %6 = stablehlo.convolution(%arg0, %5) dim_numbers = [f, 0, 1, b]x[i, o, 0, 1]->[0, 1, b, f], window = {pad = [[1, 1], [0, 1]], rhs_dilate = [2, 1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x5x4x6xf32>, tensor<2x8x3x4xf32>) -> tensor<3x2x3x8xf32>
    return %0, %6 : tensor<2x8x1x4xf32>, tensor<3x2x3x8xf32>
  }
}
