module @jit_switch attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.clamp %c, %arg0, %c_0 : tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %9 = stablehlo.add %arg1, %8 : tensor<4xf32>
      stablehlo.return %9 : tensor<4xf32>
    }, {
      %8 = stablehlo.multiply %arg1, %arg1 : tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }, {
      %8 = stablehlo.sine %arg1 : tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %c_1 = stablehlo.constant dense<7> : tensor<i32>
    %2 = stablehlo.add %arg0, %c_1 : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.clamp %c_2, %2, %c_3 : tensor<i32>
    %4 = "stablehlo.case"(%3) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %9 = stablehlo.add %arg1, %8 : tensor<4xf32>
      stablehlo.return %9 : tensor<4xf32>
    }, {
      %8 = stablehlo.multiply %arg1, %arg1 : tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }, {
      %8 = stablehlo.sine %arg1 : tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %c_4 = stablehlo.constant dense<7> : tensor<i32>
    %5 = stablehlo.subtract %arg0, %c_4 : tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %c_6 = stablehlo.constant dense<3> : tensor<i32>
    %6 = stablehlo.clamp %c_5, %5, %c_6 : tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %9 = stablehlo.add %arg1, %8 : tensor<4xf32>
      stablehlo.return %9 : tensor<4xf32>
    }, {
      %8 = stablehlo.multiply %arg1, %arg1 : tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }, {
      %8 = stablehlo.sine %arg1 : tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %1, %4, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x01000000"> : tensor<i32>
    %a1 = stablehlo.constant dense<"0x2A0F0B3FFB9F2E3F87B1D93F2D49913F"> : tensor<4xf32>
    %r:3 = call @main(%a0, %a1) : (tensor<i32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    %e0 = stablehlo.constant dense<"0xF112973EBA3BEE3E721E3940F4E7A43F"> : tensor<4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<4xf32>, tensor<4xf32>
    %e1 = stablehlo.constant dense<"0x2A0F0B3FFB9F2E3F87B1D93F2D49913F"> : tensor<4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4xf32>, tensor<4xf32>
    %e2 = stablehlo.constant dense<"0x9587C53FFE4FD73FC4D82C4096A40840"> : tensor<4xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<4xf32>, tensor<4xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x01000000"> : tensor<i32>
    %a1 = stablehlo.constant dense<"0x2A0F0B3FFB9F2E3F87B1D93F2D49913F"> : tensor<4xf32>
    %a2 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF"> : tensor<4xf32>
    %a3 = stablehlo.constant dense<"0x768F98BEA70207BF96D9113FD3A365BD"> : tensor<4xf32>
    %a4 = stablehlo.constant dense<"0xE5333F3F2475ECBFAC84C83F397EC5BD"> : tensor<4xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4) {activity = [#enzyme<activity enzyme_const>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %e0 = stablehlo.constant dense<"0x44DDF83EAE0805BFEEAAC940E4CCA7BF"> : tensor<4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 1.3e-04 : tensor<4xf32>, tensor<4xf32>
    return
  }
}
