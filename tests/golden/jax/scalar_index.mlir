module @jit_scalar_index attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x5xf32>, %arg1: tensor<i32>) -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<1x5xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.dynamic_slice %arg0, %2, %c_1, sizes = [2, 3] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %4 = call @dynamic_index_in_dim(%arg0, %arg1) : (tensor<6x5xf32>, tensor<i32>) -> tensor<1x5xf32>
    return %3, %4 : tensor<2x3xf32>, tensor<1x5xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x5xf32>, %arg1: tensor<i32>) -> tensor<1x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.dynamic_slice %arg0, %2, %c_1, sizes = [1, 5] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    return %3 : tensor<1x5xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xA2543BBE592D3ABF7AAD72BF7BF872BE8F7B0CBFD5836F3ED23791BB1160AEBFE476893DDAE2ABBF7AD11DBF84B596BE47D104C04268BB3D619B1A3E18D121BE1D40D9BEFB48BFBE7EFE79BF2B168ABEF8770DBF8DC5BB3D22219ABF7B3E713EF9A7123ED9F510BE74DFE0BE26660D3FAB11D5BF8AC0EB3E"> : tensor<6x5xf32>
    %a1 = stablehlo.constant dense<"0x03000000"> : tensor<i32>
    %r:2 = call @main(%a0, %a1) : (tensor<6x5xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<1x5xf32>)
    %e0 = stablehlo.constant dense<"0x1D40D9BEFB48BFBE7EFE79BF8DC5BB3D22219ABF7B3E713E"> : tensor<2x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2x3xf32>, tensor<2x3xf32>
    %e1 = stablehlo.constant dense<"0x18D121BE1D40D9BEFB48BFBE7EFE79BF2B168ABE"> : tensor<1x5xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<1x5xf32>, tensor<1x5xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0xA2543BBE592D3ABF7AAD72BF7BF872BE8F7B0CBFD5836F3ED23791BB1160AEBFE476893DDAE2ABBF7AD11DBF84B596BE47D104C04268BB3D619B1A3E18D121BE1D40D9BEFB48BFBE7EFE79BF2B168ABEF8770DBF8DC5BB3D22219ABF7B3E713EF9A7123ED9F510BE74DFE0BE26660D3FAB11D5BF8AC0EB3E"> : tensor<6x5xf32>
    %a1 = stablehlo.constant dense<"0x03000000"> : tensor<i32>
    %a2 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF"> : tensor<2x3xf32>
    %a3 = stablehlo.constant dense<"0x96D9113FD3A365BDE5333F3F2475ECBFAC84C83F"> : tensor<1x5xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_const>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<6x5xf32>, tensor<i32>, tensor<2x3xf32>, tensor<1x5xf32>) -> (tensor<6x5xf32>)
    %e0 = stablehlo.constant dense<"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000096D9113F382CB3BC14D30640F6621FBFAC84C83F000000007CA302BF768F98BEA70207BF000000000000000000000000000000000000000000000000"> : tensor<6x5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 4.2e-05 : tensor<6x5xf32>, tensor<6x5xf32>
    return
  }
}
