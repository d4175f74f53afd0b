module @jit_reductions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}, tensor<3xf32> {jax.result_info = "result[3]"}, tensor<7xi1> {jax.result_info = "result[4]"}, tensor<i1> {jax.result_info = "result[5]"}, tensor<3xf32> {jax.result_info = "result[6]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<3x7xf32>, tensor<f32>) -> tensor<7xf32>
    %cst_1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.minimum across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%arg0 init: %cst_2) applies stablehlo.multiply across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %5 = stablehlo.compare GT, %arg0, %4, FLOAT : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %6 = stablehlo.reduce(%5 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3x7xi1>, tensor<i1>) -> tensor<7xi1>
    %cst_4 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %8 = stablehlo.compare GT, %arg0, %7, FLOAT : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xi1>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.reduce(%8 init: %c_5) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x7xi1>, tensor<i1>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.reduce(%arg0 init: %cst_6) applies stablehlo.maximum across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.maximum %11, %10 : tensor<3xf32>
    %13 = stablehlo.is_finite %12 : (tensor<3xf32>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %15 = stablehlo.select %13, %12, %14 : tensor<3xi1>, tensor<3xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x7xf32>
    %18 = stablehlo.subtract %arg0, %17 : tensor<3x7xf32>
    %19 = stablehlo.exponential %18 : tensor<3x7xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %21 = stablehlo.abs %20 : tensor<3xf32>
    %22 = stablehlo.log %21 : tensor<3xf32>
    %23 = stablehlo.add %22, %15 : tensor<3xf32>
    return %0, %1, %2, %3, %6, %9, %23 : tensor<f32>, tensor<7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<7xi1>, tensor<i1>, tensor<3xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x2439A0BFC13E893F6FAAAC3E2FA085BFAE6800BFA80AEBBECAD44ABDBB4009BF24C953BFEBF29BBE1F7183BF350FA5BFB45445BD0C04623F74C2C3BF04E9653B876326BF34267ABFE47A5A3FC5A604BF59C8BF3F"> : tensor<3x7xf32>
    %r:7 = call @main(%a0) : (tensor<3x7xf32>) -> (tensor<f32>, tensor<7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<7xi1>, tensor<i1>, tensor<3xf32>)
    %e0 = stablehlo.constant dense<"0x8DB2CBC0"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e1 = stablehlo.constant dense<"0xBB4009BFC13E893F6FAAAC3E34267ABFE47A5A3FB45445BD59C8BF3F"> : tensor<7xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<7xf32>, tensor<7xf32>
    %e2 = stablehlo.constant dense<"0x2439A0BF350FA5BF74C2C3BF"> : tensor<3xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<3xf32>, tensor<3xf32>
    %e3 = stablehlo.constant dense<"0x688DB0BB8556F93BECF6133B"> : tensor<3xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<3xf32>, tensor<3xf32>
    %e4 = stablehlo.constant dense<"0x00010100010001"> : tensor<7xi1>
    check.expect_eq %r#4, %e4 : tensor<7xi1>, tensor<7xi1>
    %e5 = stablehlo.constant dense<"0x01"> : tensor<i1>
    check.expect_eq %r#5, %e5 : tensor<i1>, tensor<i1>
    %e6 = stablehlo.constant dense<"0xFECAFB3F6235E03F32531040"> : tensor<3xf32>
    check.expect_almost_eq %r#6, %e6, tolerance = 2.0e-5 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x2439A0BFC13E893F6FAAAC3E2FA085BFAE6800BFA80AEBBECAD44ABDBB4009BF24C953BFEBF29BBE1F7183BF350FA5BFB45445BD0C04623F74C2C3BF04E9653B876326BF34267ABFE47A5A3FC5A604BF59C8BF3F"> : tensor<3x7xf32>
    %a1 = stablehlo.constant dense<"0xB70D0C3D"> : tensor<f32>
    %a2 = stablehlo.constant dense<"0x350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BD"> : tensor<7xf32>
    %a3 = stablehlo.constant dense<"0xE5333F3F2475ECBFAC84C83F"> : tensor<3xf32>
    %a4 = stablehlo.constant dense<"0x397EC5BD482D2E3F0CD80BBE"> : tensor<3xf32>
    %a5 = stablehlo.constant dense<"0x3519C2BEC61CED3E5213533F"> : tensor<3xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4, %a5) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_constnoneed>, #enzyme<activity enzyme_constnoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<3x7xf32>, tensor<f32>, tensor<7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x7xf32>)
    %e0 = stablehlo.constant dense<"0xC3F7433FA35F8D3FF7810CBFC43B763C00A6893A801BE7B9F232DBBC6334B73FFC27813DF68E9C3D31426D3D34C3E5BFB0B1123F5DF16F3E9651CF3F2B73073DB871A33DC2756CBEBAC494BEB2B6B03D79C2BA3E"> : tensor<3x7xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 3.6e-05 : tensor<3x7xf32>, tensor<3x7xf32>
    return
  }
}
