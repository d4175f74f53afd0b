module @jit_while_newton attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    %2:3 = stablehlo.while(%iterArg = %1, %iterArg_0 = %1, %iterArg_1 = %1) : tensor<f32>, tensor<f32>, tensor<f32>
    cond {
      %4 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<f32>
      %5 = stablehlo.subtract %4, %iterArg : tensor<f32>
      %6 = stablehlo.abs %5 : tensor<f32>
      %cst = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %7 = stablehlo.multiply %cst, %iterArg : tensor<f32>
      %8 = stablehlo.compare GT, %6, %7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %4 = stablehlo.divide %iterArg_0, %iterArg_1 : tensor<f32>
      %5 = stablehlo.add %iterArg_1, %4 : tensor<f32>
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %6 = stablehlo.multiply %cst, %5 : tensor<f32>
      stablehlo.return %iterArg, %iterArg_0, %6 : tensor<f32>, tensor<f32>, tensor<f32>
    }
    %3:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg0, %iterArg_1 = %arg0) : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %4 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<4xf32>
      %5 = stablehlo.subtract %4, %iterArg : tensor<4xf32>
      %6 = stablehlo.abs %5 : tensor<4xf32>
      %cst = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %8 = stablehlo.multiply %7, %iterArg : tensor<4xf32>
      %9 = stablehlo.compare GT, %6, %8, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %10 = stablehlo.reduce(%9 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %4 = stablehlo.divide %iterArg_0, %iterArg_1 : tensor<4xf32>
      %5 = stablehlo.add %iterArg_1, %4 : tensor<4xf32>
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %7 = stablehlo.multiply %6, %5 : tensor<4xf32>
      %8 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<4xf32>
      %9 = stablehlo.subtract %8, %iterArg : tensor<4xf32>
      %10 = stablehlo.abs %9 : tensor<4xf32>
      %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %12 = stablehlo.multiply %11, %iterArg : tensor<4xf32>
      %13 = stablehlo.compare GT, %10, %12, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %15 = stablehlo.select %14, %7, %iterArg_1 : tensor<4xi1>, tensor<4xf32>
      stablehlo.return %iterArg, %iterArg_0, %15 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    return %2#2, %3#2 : tensor<f32>, tensor<4xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xDCA62C400EBCAE3F1EC8CC3F809EEE3F"> : tensor<4xf32>
    %r:2 = call @main(%a0) : (tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
    %e0 = stablehlo.constant dense<"0x8A3DD23F"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e1 = stablehlo.constant dense<"0x8A3DD23F4A90953F42F6A13F32C4AE3F"> : tensor<4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4xf32>, tensor<4xf32>
    return
  }
}
