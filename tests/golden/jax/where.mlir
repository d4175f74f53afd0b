module @jit_where attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1]"}, tensor<4x4xf32> {jax.result_info = "result[2]"}, tensor<4x4xi1> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %2 = stablehlo.abs %arg0 : tensor<4x4xf32>
    %3 = stablehlo.sqrt %2 : tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %4 = call @_where(%1, %3, %cst_0) : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %5 = call @triu(%arg0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = stablehlo.sign %arg0 : tensor<4x4xf32>
    %7 = stablehlo.divide %arg0, %arg0 : tensor<4x4xf32>
    %8 = stablehlo.compare NE, %7, %7, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    return %4, %5, %6, %8 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi1>
  }
  func.func private @_where(%arg0: tensor<4x4xi1>, %arg1: tensor<4x4xf32>, %arg2: tensor<f32>) -> tensor<4x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<4x4xi1>, tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  func.func private @triu(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %6 = stablehlo.select %4, %5, %arg0 : tensor<4x4xi1>, tensor<4x4xf32>
    return %6 : tensor<4x4xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xFB15C0BD75978FBF9ABA87BDFA671EBD2331A53F1FF1EE3FDA460CBEA02C44BF5A1585BD118D1BBF24103EBF243B70BD008B85BFD0291B3FADD1D4BD1701803E"> : tensor<4x4xf32>
    %r:4 = call @main(%a0) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi1>)
    %e0 = stablehlo.constant dense<"0x000080BF000080BF000080BF000080BF6669913F69E2AE3F000080BF000080BF000080BF000080BF000080BF000080BF000080BFA64D473F000080BF8B00003F"> : tensor<4x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e1 = stablehlo.constant dense<"0xFB15C0BD75978FBF9ABA87BDFA671EBD000000001FF1EE3FDA460CBEA02C44BF000000000000000024103EBF243B70BD0000000000000000000000001701803E"> : tensor<4x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e2 = stablehlo.constant dense<"0x000080BF000080BF000080BF000080BF0000803F0000803F000080BF000080BF000080BF000080BF000080BF000080BF000080BF0000803F000080BF0000803F"> : tensor<4x4xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e3 = stablehlo.constant dense<"0x00000000000000000000000000000000"> : tensor<4x4xi1>
    check.expect_eq %r#3, %e3 : tensor<4x4xi1>, tensor<4x4xi1>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0xFB15C0BD75978FBF9ABA87BDFA671EBD2331A53F1FF1EE3FDA460CBEA02C44BF5A1585BD118D1BBF24103EBF243B70BD008B85BFD0291B3FADD1D4BD1701803E"> : tensor<4x4xf32>
    %a1 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E"> : tensor<4x4xf32>
    %a2 = stablehlo.constant dense<"0x5213533FFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE"> : tensor<4x4xf32>
    %a3 = stablehlo.constant dense<"0x4F5C3EBFE91DC53EC49C373FFD9A99BE596F0B3FF27C853F63EC53BE8E4250BF42FFB13EA17C7D3EE6A58C3F256DA4BF775F29BF1C9256BF33F4DDBF0F78013E"> : tensor<4x4xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_constnoneed>]} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>)
    %e0 = stablehlo.constant dense<"0x5213533FFE634FBEFB731CBEF2892F3FEE4A06BE868BDABF103BCA3E34AA2BBF0000000000000000F268EFBEDCBA98BF000000003EA0B3BD000000005D7D6B3E"> : tensor<4x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 3.4e-05 : tensor<4x4xf32>, tensor<4x4xf32>
    return
  }
}
