module @jit_updates attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>, %arg1: tensor<1x5xf32>, %arg2: tensor<i32>) -> (tensor<4x5xf32> {jax.result_info = "result[0]"}, tensor<4x5xf32> {jax.result_info = "result[1]"}, tensor<2x2xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.add %arg2, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg2 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<9> : tensor<i32>
    %3 = stablehlo.dynamic_update_slice %arg0, %arg1, %2, %c_1 : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
    %4 = stablehlo.reshape %arg1 : (tensor<1x5xf32>) -> tensor<5xf32>
    %5 = call @dynamic_update_index_in_dim(%arg0, %4, %arg2) : (tensor<4x5xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4x5xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %arg2, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<5> : tensor<i32>
    %7 = stablehlo.add %arg2, %c_3 : tensor<i32>
    %8 = stablehlo.select %6, %7, %arg2 : tensor<i1>, tensor<i32>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %9 = stablehlo.dynamic_slice %arg0, %c_4, %8, sizes = [2, 2] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    return %3, %5, %9 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<2x2xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x5xf32>, %arg1: tensor<5xf32>, %arg2: tensor<i32>) -> tensor<4x5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.add %arg2, %c_0 : tensor<i32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_update_slice %arg0, %0, %3, %c_1 : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
    return %4 : tensor<4x5xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x4694A0BE999795BDE42E0ABFEECA1CBF9064D7BFFCB4F2BC733AEC3FDD80FD3F5231A93F6AAF343FCD2D2DBF0FACB83F02E665BD9A0E8DBDB91B95BE8556BC3D7DD4DEBEFC95ABBD25D48ABFD950BFBE"> : tensor<4x5xf32>
    %a1 = stablehlo.constant dense<"0xA3F4114050878EBD6F6374BEAE49083F7947353F"> : tensor<1x5xf32>
    %a2 = stablehlo.constant dense<"0x02000000"> : tensor<i32>
    %r:3 = call @main(%a0, %a1, %a2) : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<2x2xf32>)
    %e0 = stablehlo.constant dense<"0x4694A0BE999795BDE42E0ABFEECA1CBF9064D7BFFCB4F2BC733AEC3FDD80FD3F5231A93F6AAF343FA3F4114050878EBD6F6374BEAE49083F7947353F8556BC3D7DD4DEBEFC95ABBD25D48ABFD950BFBE"> : tensor<4x5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e1 = stablehlo.constant dense<"0x4694A0BE999795BDE42E0ABFEECA1CBF9064D7BFFCB4F2BC733AEC3FDD80FD3F5231A93F6AAF343FA3F4114050878EBD6F6374BEAE49083F7947353F8556BC3D7DD4DEBEFC95ABBD25D48ABFD950BFBE"> : tensor<4x5xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e2 = stablehlo.constant dense<"0x02E665BD9A0E8DBDFC95ABBD25D48ABF"> : tensor<2x2xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<2x2xf32>, tensor<2x2xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x4694A0BE999795BDE42E0ABFEECA1CBF9064D7BFFCB4F2BC733AEC3FDD80FD3F5231A93F6AAF343FCD2D2DBF0FACB83F02E665BD9A0E8DBDB91B95BE8556BC3D7DD4DEBEFC95ABBD25D48ABFD950BFBE"> : tensor<4x5xf32>
    %a1 = stablehlo.constant dense<"0xA3F4114050878EBD6F6374BEAE49083F7947353F"> : tensor<1x5xf32>
    %a2 = stablehlo.constant dense<"0x02000000"> : tensor<i32>
    %a3 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3F"> : tensor<4x5xf32>
    %a4 = stablehlo.constant dense<"0xA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE596F0B3FF27C853F63EC53BE8E4250BF"> : tensor<4x5xf32>
    %a5 = stablehlo.constant dense<"0x42FFB13EA17C7D3EE6A58C3F256DA4BF"> : tensor<2x2xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4, %a5) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_const>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<2x2xf32>) -> (tensor<4x5xf32>, tensor<1x5xf32>)
    %e0 = stablehlo.constant dense<"0xCA0D56BFE8581EBE6D52CF3FD82697BFCBF80DC03CB4ABBFE828D13DFBE79FBF37DE3EBF98C4E7BF000000000000000042FFB13EA17C7D3E000000009203273E5641AF3F5836F83F3079D2BF70E202BE"> : tensor<4x5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 4.4e-05 : tensor<4x5xf32>, tensor<4x5xf32>
    %e1 = stablehlo.constant dense<"0xDEAE1D40A5BCA8BE387881BDC6637E3E5320AD3E"> : tensor<1x5xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 4.9e-05 : tensor<1x5xf32>, tensor<1x5xf32>
    return
  }
}
