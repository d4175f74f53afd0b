module @jit_precision attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<6xf32> {jax.result_info = "result[2]"}, tensor<6xf32> {jax.result_info = "result[3]"}, tensor<6xf32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<6xf32>
    %1 = stablehlo.optimization_barrier %arg0 : tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<6xf32>
    %4 = chlo.next_after %arg0, %3 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.divide %arg0, %5 : tensor<6xf32>
    %7 = chlo.erf_inv %6 : tensor<6xf32> -> tensor<6xf32>
    %cst_1 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.add %arg0, %8 : tensor<6xf32>
    %10 = chlo.digamma %9 : tensor<6xf32> -> tensor<6xf32>
    return %0, %1, %4, %7, %10 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x16BDC83E14DAD13E1B73BABF469628BE22C584BE2187543E"> : tensor<6xf32>
    %r:5 = call @main(%a0) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
    %e0 = stablehlo.constant dense<"0x00C0C83E00E0D13E0080BABF00A028BE00C084BE0080543E"> : tensor<6xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<6xf32>, tensor<6xf32>
    %e1 = stablehlo.constant dense<"0x16BDC83E14DAD13E1B73BABF469628BE22C584BE2187543E"> : tensor<6xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<6xf32>, tensor<6xf32>
    %e2 = stablehlo.constant dense<"0x17BDC83E15DAD13E1A73BABF459628BE21C584BE2287543E"> : tensor<6xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<6xf32>, tensor<6xf32>
    %e3 = stablehlo.constant dense<"0x42361E3DF566253D2AE613BE39D184BC033AD1BC9471A73C"> : tensor<6xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<6xf32>, tensor<6xf32>
    %e4 = stablehlo.constant dense<"0x45E20B4000030C405DF9F93F32C0074041050740138B0A40"> : tensor<6xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 2.0e-5 : tensor<6xf32>, tensor<6xf32>
    return
  }
}
