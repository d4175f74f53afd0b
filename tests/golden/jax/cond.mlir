module @jit_cond attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0][0]"}, tensor<3xf32> {jax.result_info = "result[0][1]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<i1>) -> tensor<i32>
    %1:2 = "stablehlo.case"(%0) ({
      %5 = stablehlo.slice %arg1 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
      %6 = stablehlo.reshape %5 : (tensor<1xf32>) -> tensor<f32>
      %7 = stablehlo.slice %arg2 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
      %8 = stablehlo.reshape %7 : (tensor<1xf32>) -> tensor<f32>
      %9 = stablehlo.compare GT, %6, %8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %10 = stablehlo.convert %9 : (tensor<i1>) -> tensor<i32>
      %11 = "stablehlo.case"(%10) ({
        %12 = stablehlo.subtract %arg1, %arg2 : tensor<3xf32>
        stablehlo.return %12 : tensor<3xf32>
      }, {
        %12 = stablehlo.multiply %arg1, %arg2 : tensor<3xf32>
        stablehlo.return %12 : tensor<3xf32>
      }) : (tensor<i32>) -> tensor<3xf32>
      stablehlo.return %11, %arg1 : tensor<3xf32>, tensor<3xf32>
    }, {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %6 = stablehlo.add %arg1, %5 : tensor<3xf32>
      stablehlo.return %6, %arg2 : tensor<3xf32>, tensor<3xf32>
    }) : (tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>)
    %2 = stablehlo.not %arg0 : tensor<i1>
    %3 = stablehlo.convert %2 : (tensor<i1>) -> tensor<i32>
    %4 = "stablehlo.case"(%3) ({
      %5 = stablehlo.negate %arg1 : tensor<3xf32>
      stablehlo.return %5 : tensor<3xf32>
    }, {
      %5 = stablehlo.slice %arg1 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
      %6 = stablehlo.reshape %5 : (tensor<1xf32>) -> tensor<f32>
      %7 = stablehlo.slice %arg2 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
      %8 = stablehlo.reshape %7 : (tensor<1xf32>) -> tensor<f32>
      %9 = stablehlo.compare GT, %6, %8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %10 = stablehlo.convert %9 : (tensor<i1>) -> tensor<i32>
      %11 = "stablehlo.case"(%10) ({
        %12 = stablehlo.subtract %arg1, %arg2 : tensor<3xf32>
        stablehlo.return %12 : tensor<3xf32>
      }, {
        %12 = stablehlo.multiply %arg1, %arg2 : tensor<3xf32>
        stablehlo.return %12 : tensor<3xf32>
      }) : (tensor<i32>) -> tensor<3xf32>
      stablehlo.return %11 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %1#0, %1#1, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x00"> : tensor<i1>
    %a1 = stablehlo.constant dense<"0x2212C33EA3D719BF59BA73BC"> : tensor<3xf32>
    %a2 = stablehlo.constant dense<"0xA6BD413FB0AA30C0040DFFBD"> : tensor<3xf32>
    %r:3 = call @main(%a0, %a1, %a2) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    %e0 = stablehlo.constant dense<"0x2A69C0BEC7340A40B995E03D"> : tensor<3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<3xf32>, tensor<3xf32>
    %e1 = stablehlo.constant dense<"0x2212C33EA3D719BF59BA73BC"> : tensor<3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<3xf32>, tensor<3xf32>
    %e2 = stablehlo.constant dense<"0x2A69C0BEC7340A40B995E03D"> : tensor<3xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x00"> : tensor<i1>
    %a1 = stablehlo.constant dense<"0x2212C33EA3D719BF59BA73BC"> : tensor<3xf32>
    %a2 = stablehlo.constant dense<"0xA6BD413FB0AA30C0040DFFBD"> : tensor<3xf32>
    %a3 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F"> : tensor<3xf32>
    %a4 = stablehlo.constant dense<"0x7CA302BF768F98BEA70207BF"> : tensor<3xf32>
    %a5 = stablehlo.constant dense<"0x96D9113FD3A365BDE5333F3F"> : tensor<3xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4, %a5) {activity = [#enzyme<activity enzyme_const>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %e0 = stablehlo.constant dense<"0xACB7BF3D39BB803F48DCB83F"> : tensor<3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.9e-05 : tensor<3xf32>, tensor<3xf32>
    %e1 = stablehlo.constant dense<"0x719A1ABF16DFA6BF9C5DFCBF"> : tensor<3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 3.9e-05 : tensor<3xf32>, tensor<3xf32>
    return
  }
}
