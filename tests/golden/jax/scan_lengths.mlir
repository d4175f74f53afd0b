module @jit_scan_lengths attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32> {jax.result_info = "result[0][0]"}, tensor<4xf32> {jax.result_info = "result[0][1]"}, tensor<f32> {jax.result_info = "result[1][0]"}, tensor<0xf32> {jax.result_info = "result[1][1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<i32>, tensor<f32>, tensor<4xf32>
    cond {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3:2 = func.call @closed_call(%iterArg_1) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %4 = func.call @dynamic_update_index_in_dim(%iterArg_2, %3#1, %iterArg) : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %5, %3#0, %4 : tensor<i32>, tensor<f32>, tensor<4xf32>
    }
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<0xf32>
    return %1#1, %1#2, %arg0, %2 : tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<0xf32>
  }
  func.func private @closed_call(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %cst : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.add %0, %cst_0 : tensor<f32>
    return %1, %arg0 : tensor<f32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x00000040"> : tensor<f32>
    %r:4 = call @main(%a0) : (tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<0xf32>)
    %e0 = stablehlo.constant dense<"0x00009241"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e1 = stablehlo.constant dense<"0x00000040000080400000E04000003841"> : tensor<4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4xf32>, tensor<4xf32>
    %e2 = stablehlo.constant dense<"0x00000040"> : tensor<f32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e3 = stablehlo.constant dense<"0x"> : tensor<0xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<0xf32>, tensor<0xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x00000040"> : tensor<f32>
    %a1 = stablehlo.constant dense<"0xB70D0C3D"> : tensor<f32>
    %a2 = stablehlo.constant dense<"0x350CAE3FA9C39C3F7CA302BF768F98BE"> : tensor<4xf32>
    %a3 = stablehlo.constant dense<"0xA70207BF"> : tensor<f32>
    %a4 = stablehlo.constant dense<"0x"> : tensor<0xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<0xf32>) -> (tensor<f32>)
    %e0 = stablehlo.constant dense<"0x274F303F"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-05 : tensor<f32>, tensor<f32>
    return
  }
}
