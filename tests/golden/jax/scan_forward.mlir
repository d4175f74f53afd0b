module @jit_scan_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<5x2xf32>, %arg2: tensor<5xf32>, %arg3: tensor<2x3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1][0]"}, tensor<5xf32> {jax.result_info = "result[1][1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:7 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %arg3, %iterArg_3 = %c, %iterArg_4 = %arg0, %iterArg_5 = %0, %iterArg_6 = %1) : tensor<5x2xf32>, tensor<5xf32>, tensor<2x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5xf32>, tensor<5xf32>
    cond {
      %c_7 = stablehlo.constant dense<5> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_3, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<5x2xf32>, tensor<i32>) -> tensor<2xf32>
      %4 = func.call @dynamic_index_in_dim_0(%iterArg_1, %iterArg_3) : (tensor<5xf32>, tensor<i32>) -> tensor<f32>
      %5:3 = func.call @closed_call(%iterArg_2, %iterArg_4, %3, %4) : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>, tensor<f32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_5, %5#1, %iterArg_3) : (tensor<5xf32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
      %7 = func.call @dynamic_update_index_in_dim(%iterArg_6, %5#2, %iterArg_3) : (tensor<5xf32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg_3, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %8, %5#0, %6, %7 : tensor<5x2xf32>, tensor<5xf32>, tensor<2x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5xf32>, tensor<5xf32>
    }
    return %2#4, %2#5, %2#6 : tensor<3xf32>, tensor<5xf32>, tensor<5xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x2xf32>, %arg1: tensor<i32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<5x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<5xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2xf32>, %arg3: tensor<f32>) -> (tensor<3xf32>, tensor<f32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<3xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<3xf32>
    %2 = stablehlo.tanh %1 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.add %arg3, %cst_0 : tensor<f32>
    return %2, %3, %4 : tensor<3xf32>, tensor<f32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xD0DE783EB316913E8C41C43E"> : tensor<3xf32>
    %a1 = stablehlo.constant dense<"0x3D5527BFF3D784BE4116233FBF7CDC3E83AC533E3FD5C1BFF8B2093F3AB1953FEA3C813FBA7D6F3E"> : tensor<5x2xf32>
    %a2 = stablehlo.constant dense<"0x0362C7BF9E4A713FEBC916BECD1422C05421C13E"> : tensor<5xf32>
    %a3 = stablehlo.constant dense<"0x7CFFBEBFC4F1A5BFAA8C22BF45E4A23F71DFBDBE69BF8A3E"> : tensor<2x3xf32>
    %r:3 = call @main(%a0, %a1, %a2, %a3) : (tensor<3xf32>, tensor<5x2xf32>, tensor<5xf32>, tensor<2x3xf32>) -> (tensor<3xf32>, tensor<5xf32>, tensor<5xf32>)
    %e0 = stablehlo.constant dense<"0x449566BF592379BF78F32BBF"> : tensor<3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<3xf32>, tensor<3xf32>
    %e1 = stablehlo.constant dense<"0x12240B4058A2F43EFC4B83BF6CDFA0BF05EB22C0"> : tensor<5xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<5xf32>, tensor<5xf32>
    %e2 = stablehlo.constant dense<"0x06C40EBF4FA5F83F854D5A3F9A29C4BF5548B03F"> : tensor<5xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<5xf32>, tensor<5xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0xD0DE783EB316913E8C41C43E"> : tensor<3xf32>
    %a1 = stablehlo.constant dense<"0x3D5527BFF3D784BE4116233FBF7CDC3E83AC533E3FD5C1BFF8B2093F3AB1953FEA3C813FBA7D6F3E"> : tensor<5x2xf32>
    %a2 = stablehlo.constant dense<"0x0362C7BF9E4A713FEBC916BECD1422C05421C13E"> : tensor<5xf32>
    %a3 = stablehlo.constant dense<"0x7CFFBEBFC4F1A5BFAA8C22BF45E4A23F71DFBDBE69BF8A3E"> : tensor<2x3xf32>
    %a4 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F"> : tensor<3xf32>
    %a5 = stablehlo.constant dense<"0x7CA302BF768F98BEA70207BF96D9113FD3A365BD"> : tensor<5xf32>
    %a6 = stablehlo.constant dense<"0xE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F"> : tensor<5xf32>
    %r:4 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4, %a5, %a6) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<3xf32>, tensor<5x2xf32>, tensor<5xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<3xf32>, tensor<5x2xf32>, tensor<5xf32>, tensor<2x3xf32>)
    %e0 = stablehlo.constant dense<"0x2C3BC6BE92B09BBE29861DBE"> : tensor<3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-05 : tensor<3xf32>, tensor<3xf32>
    %e1 = stablehlo.constant dense<"0x7AE9883FCEDFD7BE5A606E3F59229FBDE0215DBDDD17803E150DEFBFF745603FDB22FBBEA86C123E"> : tensor<5x2xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 3.7e-05 : tensor<5x2xf32>, tensor<5x2xf32>
    %e2 = stablehlo.constant dense<"0xE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F"> : tensor<5xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 3.7e-05 : tensor<5xf32>, tensor<5xf32>
    %e3 = stablehlo.constant dense<"0xB180B73EA756D93CC234D33FBFDA183FEF810F3F2BDC3F3F"> : tensor<2x3xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 3.3e-05 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
}
