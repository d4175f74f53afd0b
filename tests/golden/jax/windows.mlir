module @jit_windows attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x6xf32>, %arg1: tensor<5x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result[0]"}, tensor<3x11xf32> {jax.result_info = "result[1]"}, tensor<5x6xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 2, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %7 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<f32>) -> tensor<3x11xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%arg0, %2) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [1, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %7 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<f32>) -> tensor<5x3xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.pad %arg0, %cst_1, low = [1, 1], high = [0, 1], interior = [0, 0] : (tensor<5x6xf32>, tensor<f32>) -> tensor<6x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = "stablehlo.select_and_scatter"(%4, %arg1, %cst_2) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %7 = stablehlo.compare GE, %arg2, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %7 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<5x3xf32>, tensor<f32>) -> tensor<6x8xf32>
    %6 = stablehlo.slice %5 [1:6, 1:7] : (tensor<6x8xf32>) -> tensor<5x6xf32>
    return %3, %1, %6 : tensor<5x3xf32>, tensor<3x11xf32>, tensor<5x6xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xFA8F8EBF6F2154BE20146B3F28288A3E0BC3F93D0DEAC63F84822DBFAE76A93D912205BF6CC2BE3F90D6F9BF688E2BBFD57607BFBCDD293FDF341B3FBA95B23FE879C9BF211F403FC72896BE6A662ABF2A210A3F458E6BBF26EC04C0478DBDBEF5B6BFBF591F26BF6D3CBE3E6EBE9F3E851FCB3F4B724CBE"> : tensor<5x6xf32>
    %a1 = stablehlo.constant dense<"0x3644C4BF908F41BFC45C6BBFB2E19BBF73E8DE3EF22D25BF8D1AFDBF8869323F9D33E4BD60B3B63E8A84D83D20B4213F8CB91B3DE23B9E3F5897D93E"> : tensor<5x3xf32>
    %r:3 = call @main(%a0, %a1) : (tensor<5x6xf32>, tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x11xf32>, tensor<5x6xf32>)
    %e0 = stablehlo.constant dense<"0x6F2154BE20146B3F0DEAC63FAE76A93D6CC2BE3F0DEAC63FBCDD293F6CC2BE3F6CC2BE3FBCDD293FBA95B23FBA95B23FC72896BE2A210A3F851FCB3F"> : tensor<5x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<5x3xf32>, tensor<5x3xf32>
    %e1 = stablehlo.constant dense<"0x84822DBFAE76A93DAE76A93D912205BF912205BF6CC2BE3F6CC2BE3F90D6F9BF90D6F9BF688E2BBF688E2BBFE89678BF943715BF943715BF20D39F3C20D39F3C93F6113F93F6113FB7EB80C0B7EB80C0862A85BF862A85BFC72896BE6A662ABF6A662ABF2A210A3F2A210A3F458E6BBF458E6BBF26EC04C026EC04C0478DBDBE478DBDBE"> : tensor<3x11xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<3x11xf32>, tensor<3x11xf32>
    %e2 = stablehlo.constant dense<"0x000000003644C4BF908F41BF00000000000000005B45C8BF00000000B2E19BBF00000000A7AB823F000000000000000000000000B56DCFBF00000000B1C43C3F00000000000000008CB91B3D00000000E23B9E3F000000000000000000000000000000000000000000000000000000005897D93E00000000"> : tensor<5x6xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<5x6xf32>, tensor<5x6xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0xFA8F8EBF6F2154BE20146B3F28288A3E0BC3F93D0DEAC63F84822DBFAE76A93D912205BF6CC2BE3F90D6F9BF688E2BBFD57607BFBCDD293FDF341B3FBA95B23FE879C9BF211F403FC72896BE6A662ABF2A210A3F458E6BBF26EC04C0478DBDBEF5B6BFBF591F26BF6D3CBE3E6EBE9F3E851FCB3F4B724CBE"> : tensor<5x6xf32>
    %a1 = stablehlo.constant dense<"0x3644C4BF908F41BFC45C6BBFB2E19BBF73E8DE3EF22D25BF8D1AFDBF8869323F9D33E4BD60B3B63E8A84D83D20B4213F8CB91B3DE23B9E3F5897D93E"> : tensor<5x3xf32>
    %a2 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BE"> : tensor<5x3xf32>
    %a3 = stablehlo.constant dense<"0xC61CED3E5213533FFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE596F0B3FF27C853F63EC53BE8E4250BF42FFB13EA17C7D3EE6A58C3F256DA4BF775F29BF1C9256BF33F4DDBF0F78013E"> : tensor<3x11xf32>
    %a4 = stablehlo.constant dense<"0x2D1E073F58213DBFE25CB13FA269523FBF9B203F8DACCD3EC3A6743F517EAABF7E2A1D3F954F1A3F9A44E2BFEEADB13E3A3780BEDF11483FC2CCE0BEDA6D95BC3C8AAF3EB05260BFA13D193FF1F6D6BDAF26FC3E259705BFA7088B3F84EE1A3F314C36BEF2C7213FA83FA13F3D45E53FF36AC9BFED14623F"> : tensor<5x6xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<5x6xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3x11xf32>, tensor<5x6xf32>) -> (tensor<5x6xf32>, tensor<5x3xf32>)
    %e0 = stablehlo.constant dense<"0x00000000B70D0C3D350CAE3F0000000000000000AB84323F000B93BB3FBC24C016C0BB3F8EFD3DC00C9F533FDA571FC0000000005988A3BF00000000C82CBC3F00000000000000005AB9A03F5E316DC0003EB23FACCC94BFB68BCBBE4474AEBF000000000000000000000000000000003519C2BE00000000"> : tensor<5x6xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 7.4e-05 : tensor<5x6xf32>, tensor<5x6xf32>
    %e1 = stablehlo.constant dense<"0x58213DBFE25CB13F8DACCD3E517EAABF954F1A3F8DACCD3EDF11483F954F1A3F954F1A3FDF11483FDA6D95BCDA6D95BCA13D193FAF26FC3EF36AC9BF"> : tensor<5x3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 3.1e-05 : tensor<5x3xf32>, tensor<5x3xf32>
    return
  }
}
