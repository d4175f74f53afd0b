module @jit_map_batches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x4xf32>) -> (tensor<7x4xf32> {jax.result_info = "result[0]"}, tensor<7xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:6, 0:4] : (tensor<7x4xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.slice %arg0 [6:7, 0:4] : (tensor<7x4xf32>) -> tensor<1x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4:3 = stablehlo.while(%iterArg = %1, %iterArg_3 = %c, %iterArg_4 = %3) : tensor<2x3x4xf32>, tensor<i32>, tensor<2x3x4xf32>
    cond {
      %c_5 = stablehlo.constant dense<2> : tensor<i32>
      %14 = stablehlo.compare LT, %iterArg_3, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %14 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<2x3x4xf32>, tensor<i32>) -> tensor<3x4xf32>
      %15 = func.call @closed_call(%14) : (tensor<3x4xf32>) -> tensor<3x4xf32>
      %16 = func.call @dynamic_update_index_in_dim(%iterArg_4, %15, %iterArg_3) : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<i32>) -> tensor<2x3x4xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %17 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %17, %16 : tensor<2x3x4xf32>, tensor<i32>, tensor<2x3x4xf32>
    }
    %5 = call @sort_0(%2) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x4xf32>
    %9 = stablehlo.multiply %5, %8 : tensor<1x4xf32>
    %10 = stablehlo.reshape %4#2 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    %11 = stablehlo.concatenate %10, %9, dim = 0 : (tensor<6x4xf32>, tensor<1x4xf32>) -> tensor<7x4xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %13:3 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %c_2, %iterArg_4 = %12) : tensor<7x4xf32>, tensor<i32>, tensor<7xi32>
    cond {
      %c_5 = stablehlo.constant dense<7> : tensor<i32>
      %14 = stablehlo.compare LT, %iterArg_3, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %14 = func.call @dynamic_index_in_dim_1(%iterArg, %iterArg_3) : (tensor<7x4xf32>, tensor<i32>) -> tensor<4xf32>
      %15 = func.call @closed_call_2(%14) : (tensor<4xf32>) -> tensor<i32>
      %16 = func.call @dynamic_update_index_in_dim_3(%iterArg_4, %15, %iterArg_3) : (tensor<7xi32>, tensor<i32>, tensor<i32>) -> tensor<7xi32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %17 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %17, %16 : tensor<7x4xf32>, tensor<i32>, tensor<7xi32>
    }
    return %11, %13#2 : tensor<7x4xf32>, tensor<7xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x3x4xf32>, %arg1: tensor<i32>) -> tensor<3x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 3, 4] : (tensor<2x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
    return %1 : tensor<3x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = call @sort(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
    %4 = stablehlo.multiply %0, %3 : tensor<3x4xf32>
    return %4 : tensor<3x4xf32>
  }
  func.func private @sort(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x3x4xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<i32>) -> tensor<2x3x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<1x3x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x3x4xf32>, tensor<1x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x3x4xf32>
    return %1 : tensor<2x3x4xf32>
  }
  func.func private @sort_0(%arg0: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    return %0 : tensor<1x4xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<7x4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @closed_call_2(%arg0: tensor<4xf32>) -> tensor<i32> {
    %0 = call @argmax(%arg0) : (tensor<4xf32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @argmax(%arg0: tensor<4xf32>) -> tensor<i32> {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<i32>
  }
  func.func private @dynamic_update_index_in_dim_3(%arg0: tensor<7xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<7xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<7xi32>, tensor<1xi32>, tensor<i32>) -> tensor<7xi32>
    return %1 : tensor<7xi32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x3C08A03E999C9A3E4075493F55110ABF3B9C24BD48FF673F918DFA3FF81623BECD3F46BD643E4B3E19EEAB3F9B53F8BCF513BC3FD97677BF4C803EBECFEB4ABE7058493F18CB853F7935C1BF26456ABFEE77AC3E26A028BFEADEC2BFE9EC843FA6E9FC3EC381FC3E9F6DF3BE41B4833F"> : tensor<7x4xf32>
    %r:2 = call @main(%a0) : (tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7xi32>)
    %e0 = stablehlo.constant dense<"0x7612EEBEB24C853E0FF9893E3FB02D3F1241D9BE9C47DBBDFE851A40F4E1A6402E0491BDACA535BD73AB943E4D87FB3FCA98EABDAD5EC0BC7D98B4BC684C323E1D11653FD5DF0A3FA8B6EEBED09F1EBF55069D3F6DE0073F25F98ABE403856BF84843BBFD982423FE0D2423F9EE8CA3F"> : tensor<7x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<7x4xf32>, tensor<7x4xf32>
    %e1 = stablehlo.constant dense<"0x02000000020000000200000000000000010000000300000003000000"> : tensor<7xi32>
    check.expect_eq %r#1, %e1 : tensor<7xi32>, tensor<7xi32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x3C08A03E999C9A3E4075493F55110ABF3B9C24BD48FF673F918DFA3FF81623BECD3F46BD643E4B3E19EEAB3F9B53F8BCF513BC3FD97677BF4C803EBECFEB4ABE7058493F18CB853F7935C1BF26456ABFEE77AC3E26A028BFEADEC2BFE9EC843FA6E9FC3EC381FC3E9F6DF3BE41B4833F"> : tensor<7x4xf32>
    %a1 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF"> : tensor<7x4xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_constnoneed>]} : (tensor<7x4xf32>, tensor<7x4xf32>) -> (tensor<7x4xf32>)
    %e0 = stablehlo.constant dense<"0xFEF2B63FA6D9C53F2C5988BDBA44CE3E070B6EBFD61DFF3F8FD5A63E1A25A3BE329FA53F5A8E1F403477763DCF1520C0B374333EF4D14D3E62849A3D8160D53D7381BEBE6A7F5EBF4D9073BF6B68AFBE3871B83F25B03E4076791D40062C1340CD72D5BF98E20CC052F779C0034532C0"> : tensor<7x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 7.8e-05 : tensor<7x4xf32>, tensor<7x4xf32>
    return
  }
}
