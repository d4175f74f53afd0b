module @jit_scan_reverse attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<6xf32>
    cond {
      %c_3 = stablehlo.constant dense<6> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<6> : tensor<i32>
      %2 = stablehlo.subtract %c_3, %iterArg_0 : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %2, %c_4 : tensor<i32>
      %4 = func.call @dynamic_index_in_dim(%iterArg, %3) : (tensor<6xf32>, tensor<i32>) -> tensor<f32>
      %5:2 = func.call @closed_call(%iterArg_1, %4) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_2, %5#1, %3) : (tensor<6xf32>, tensor<f32>, tensor<i32>) -> tensor<6xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_0, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %7, %5#0, %6 : tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<6xf32>
    }
    return %1#2, %1#3 : tensor<f32>, tensor<6xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<6xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.multiply %cst, %arg0 : tensor<f32>
    %1 = stablehlo.add %0, %arg1 : tensor<f32>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<f32>
    return %1, %2 : tensor<f32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<6xf32>, tensor<1xf32>, tensor<i32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x0000803F"> : tensor<f32>
    %a1 = stablehlo.constant dense<"0x6ABDDF3F2B09CC3FF5AAD3BD495177BE3564A1BF01C831BF"> : tensor<6xf32>
    %r:2 = call @main(%a0, %a1) : (tensor<f32>, tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>)
    %e0 = stablehlo.constant dense<"0x56DC1940"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e1 = stablehlo.constant dense<"0x02CC1240480166BFEEDAC23DDFF0A73E28127B3E01C831BF"> : tensor<6xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<6xf32>, tensor<6xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x0000803F"> : tensor<f32>
    %a1 = stablehlo.constant dense<"0x6ABDDF3F2B09CC3FF5AAD3BD495177BE3564A1BF01C831BF"> : tensor<6xf32>
    %a2 = stablehlo.constant dense<"0xB70D0C3D"> : tensor<f32>
    %a3 = stablehlo.constant dense<"0x350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113F"> : tensor<6xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1, %a2, %a3) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<f32>, tensor<6xf32>, tensor<f32>, tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>)
    %e0 = stablehlo.constant dense<"0x6709223E"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-05 : tensor<f32>, tensor<f32>
    %e1 = stablehlo.constant dense<"0x8BC3E83F470FDA3F109D67406C0C0240E2F97C3F88B8D63F"> : tensor<6xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 7.2e-05 : tensor<6xf32>, tensor<6xf32>
    return
  }
}
