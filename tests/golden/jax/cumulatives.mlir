module @jit_cumulatives attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>, %arg1: tensor<8xi32>) -> (tensor<4x5xf32> {jax.result_info = "result[0]"}, tensor<4x5xf32> {jax.result_info = "result[1]"}, tensor<4x5xf32> {jax.result_info = "result[2]"}, tensor<4x5xf32> {jax.result_info = "result[3]"}, tensor<4x5xf32> {jax.result_info = "result[4]"}, tensor<8xi32> {jax.result_info = "result[5]"}, tensor<8xi32> {jax.result_info = "result[6]"}) {
    %0 = call @cumsum(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %1 = call @cumprod(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %2 = call @cummax(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %3 = call @cummin(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %4 = call @cumlogsumexp(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %5 = call @cumsum_2(%arg1) : (tensor<8xi32>) -> tensor<8xi32>
    %6 = stablehlo.reverse %arg1, dims = [0] : tensor<8xi32>
    %7 = stablehlo.slice %6 [0:7:2] : (tensor<8xi32>) -> tensor<4xi32>
    %8 = stablehlo.slice %6 [1:8:2] : (tensor<8xi32>) -> tensor<4xi32>
    %9 = stablehlo.maximum %7, %8 : tensor<4xi32>
    %10 = stablehlo.slice %9 [0:3:2] : (tensor<4xi32>) -> tensor<2xi32>
    %11 = stablehlo.slice %9 [1:4:2] : (tensor<4xi32>) -> tensor<2xi32>
    %12 = stablehlo.maximum %10, %11 : tensor<2xi32>
    %13 = stablehlo.slice %12 [0:1:2] : (tensor<2xi32>) -> tensor<1xi32>
    %14 = stablehlo.slice %12 [1:2:2] : (tensor<2xi32>) -> tensor<1xi32>
    %15 = stablehlo.maximum %13, %14 : tensor<1xi32>
    %16 = stablehlo.slice %15 [0:0] : (tensor<1xi32>) -> tensor<0xi32>
    %17 = stablehlo.slice %12 [2:2:2] : (tensor<2xi32>) -> tensor<0xi32>
    %18 = stablehlo.maximum %16, %17 : tensor<0xi32>
    %19 = stablehlo.slice %12 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %20 = stablehlo.concatenate %19, %18, dim = 0 : (tensor<1xi32>, tensor<0xi32>) -> tensor<1xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %21 = stablehlo.pad %20, %c, low = [0], high = [1], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.pad %15, %c_0, low = [1], high = [0], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
    %23 = stablehlo.add %21, %22 : tensor<2xi32>
    %24 = stablehlo.slice %23 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %25 = stablehlo.slice %9 [2:4:2] : (tensor<4xi32>) -> tensor<1xi32>
    %26 = stablehlo.maximum %24, %25 : tensor<1xi32>
    %27 = stablehlo.slice %9 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %28 = stablehlo.concatenate %27, %26, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.pad %28, %c_1, low = [0], high = [1], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %30 = stablehlo.pad %23, %c_2, low = [1], high = [0], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
    %31 = stablehlo.add %29, %30 : tensor<4xi32>
    %32 = stablehlo.slice %31 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %33 = stablehlo.slice %6 [2:8:2] : (tensor<8xi32>) -> tensor<3xi32>
    %34 = stablehlo.maximum %32, %33 : tensor<3xi32>
    %35 = stablehlo.slice %6 [0:1] : (tensor<8xi32>) -> tensor<1xi32>
    %36 = stablehlo.concatenate %35, %34, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %37 = stablehlo.pad %36, %c_3, low = [0], high = [1], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %38 = stablehlo.pad %31, %c_4, low = [1], high = [0], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
    %39 = stablehlo.add %37, %38 : tensor<8xi32>
    %40 = stablehlo.reverse %39, dims = [0] : tensor<8xi32>
    return %0, %1, %2, %3, %4, %5, %40 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<8xi32>, tensor<8xi32>
  }
  func.func private @cumsum(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %1 : tensor<4x5xf32>
  }
  func.func private @cumprod(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %0 = call @cumprod_1(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func private @cumprod_1(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func private @cummax(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %1 : tensor<4x5xf32>
  }
  func.func private @cummin(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.minimum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %1 : tensor<4x5xf32>
  }
  func.func private @cumlogsumexp(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f32>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<f32>
      %5 = stablehlo.abs %2 : tensor<f32>
      %6 = stablehlo.negate %5 : tensor<f32>
      %7 = stablehlo.exponential %6 : tensor<f32>
      %8 = stablehlo.log_plus_one %7 : tensor<f32>
      %9 = stablehlo.add %1, %8 : tensor<f32>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func private @cumsum_2(%arg0: tensor<8xi32>) -> tensor<8xi32> {
    %0 = call @cumsum_3(%arg0) : (tensor<8xi32>) -> tensor<8xi32>
    return %0 : tensor<8xi32>
  }
  func.func private @cumsum_3(%arg0: tensor<8xi32>) -> tensor<8xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 8>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
    return %1 : tensor<8xi32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x13B875BEFE578C3FE36269BF9FA85ABF3C93513E0ACC33BF5CEA2C3F392A853ED7476CBF8F3A953DABDAB3BE05746A3FFEEE21BF4CDBE0BED0099B3F1D450F4084DFFF3F117B813D731B603E6048C43F"> : tensor<4x5xf32>
    %a1 = stablehlo.constant dense<"0x010000000400000004000000F8FFFFFFFDFFFFFFFBFFFFFFFCFFFFFF05000000"> : tensor<8xi32>
    %r:7 = call @main(%a0, %a1) : (tensor<4x5xf32>, tensor<8xi32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<8xi32>, tensor<8xi32>)
    %e0 = stablehlo.constant dense<"0x13B875BEFE578C3FE36269BF9FA85ABF3C93513E0F3A71BF2CCDE23FC6CD26BF3B78E3BF42188E3EB293A5BF97032C40625EA4BF87D70DC0E08FBE3F10ED713FACF99540B1469CBFA0ABFFBF206C4140"> : tensor<4x5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e1 = stablehlo.constant dense<"0x13B875BE20B586BEC69D753E23CA51BEAFBE2BBD0ACC33BF60E3F2BE61B0FCBD8339E93DD3F3073CABDAB3BE63B7A4BE3662503E7108B7BD41B2DDBD1D450F40EF328F4003DB903E569E7D3DED74C23D"> : tensor<4x5xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e2 = stablehlo.constant dense<"0xFE578C3FFE578C3F3C93513E3C93513E3C93513E5CEA2C3F5CEA2C3F392A853E8F3A953D8F3A953DD0099B3FD0099B3FD0099B3FD0099B3FD0099B3F1D450F4084DFFF3F6048C43F6048C43F6048C43F"> : tensor<4x5xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e3 = stablehlo.constant dense<"0x13B875BEFE578C3FE36269BF9FA85ABF3C93513E0ACC33BF5CEA2C3FE36269BFD7476CBF8F3A953D0ACC33BF5CEA2C3FE36269BFD7476CBF8F3A953D0ACC33BF5CEA2C3FE36269BFD7476CBF8F3A953D"> : tensor<4x5xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e4 = stablehlo.constant dense<"0x13B875BE9235AA3F0924B73F338CC33F3EC5E13F0ACC33BF3C7A663FD26FA93FBA4DB63FB8C5D33FABDAB3BE30FD943F1DA2A83F5004BD3FF3EF02401D450F403C6C3440BC5D384077AF3C40429B4A40"> : tensor<4x5xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e5 = stablehlo.constant dense<"0x01000000050000000900000001000000FEFFFFFFF9FFFFFFF5FFFFFFFAFFFFFF"> : tensor<8xi32>
    check.expect_eq %r#5, %e5 : tensor<8xi32>, tensor<8xi32>
    %e6 = stablehlo.constant dense<"0x0500000005000000050000000500000005000000050000000500000005000000"> : tensor<8xi32>
    check.expect_eq %r#6, %e6 : tensor<8xi32>, tensor<8xi32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x13B875BEFE578C3FE36269BF9FA85ABF3C93513E0ACC33BF5CEA2C3F392A853ED7476CBF8F3A953DABDAB3BE05746A3FFEEE21BF4CDBE0BED0099B3F1D450F4084DFFF3F117B813D731B603E6048C43F"> : tensor<4x5xf32>
    %a1 = stablehlo.constant dense<"0x010000000400000004000000F8FFFFFFFDFFFFFFFBFFFFFFFCFFFFFF05000000"> : tensor<8xi32>
    %a2 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3F"> : tensor<4x5xf32>
    %a3 = stablehlo.constant dense<"0xA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE596F0B3FF27C853F63EC53BE8E4250BF"> : tensor<4x5xf32>
    %a4 = stablehlo.constant dense<"0x42FFB13EA17C7D3EE6A58C3F256DA4BF775F29BF1C9256BF33F4DDBF0F78013E2D1E073F58213DBFE25CB13FA269523FBF9B203F8DACCD3EC3A6743F517EAABF7E2A1D3F954F1A3F9A44E2BFEEADB13E"> : tensor<4x5xf32>
    %a5 = stablehlo.constant dense<"0x3A3780BEDF11483FC2CCE0BEDA6D95BC3C8AAF3EB05260BFA13D193FF1F6D6BDAF26FC3E259705BFA7088B3F84EE1A3F314C36BEF2C7213FA83FA13F3D45E53FF36AC9BFED14623F761DEE3E153AC0BD"> : tensor<4x5xf32>
    %a6 = stablehlo.constant dense<"0x66DA80BF8EEBA03FA180A1BF5723113F9CA3A63FF7C1CCBF9EE39ABE6B94A7BF52E9793E0BD7C13FF18101404199E3BFDC2F13BF881B343FE228CA3FECA8D73ED1033FBF9F21983EFE2488BC68A150BE"> : tensor<4x5xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4, %a5, %a6) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_const>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_constnoneed>, #enzyme<activity enzyme_constnoneed>]} : (tensor<4x5xf32>, tensor<8xi32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) -> (tensor<4x5xf32>)
    %e0 = stablehlo.constant dense<"0xA47D50C07EF7B94033C3BD3F2F1237BE3987D6BFB2A93E3FA8A1CBBFD86AEC3EA6A117405AC44ABFC8D1A740A216ADBEF3CB803F1CC54D3E90D9A340A05BA93DAB071F40D10A4340CC7813BF48C063BE"> : tensor<4x5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 1.2e-04 : tensor<4x5xf32>, tensor<4x5xf32>
    return
  }
}
