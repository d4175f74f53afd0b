module @jit_special attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x9xf32>) -> (tensor<2x9xf32> {jax.result_info = "result[0]"}, tensor<2x9xf32> {jax.result_info = "result[1]"}, tensor<2x9xf32> {jax.result_info = "result[2]"}, tensor<2x9xf32> {jax.result_info = "result[3]"}) {
    %0 = chlo.erf %arg0 : tensor<2x9xf32> -> tensor<2x9xf32>
    %1 = stablehlo.abs %arg0 : tensor<2x9xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x9xf32>
    %3 = stablehlo.add %1, %2 : tensor<2x9xf32>
    %4 = chlo.lgamma %3 : tensor<2x9xf32> -> tensor<2x9xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x9xf32>
    %6 = stablehlo.maximum %arg0, %5 : tensor<2x9xf32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x9xf32>
    %8 = stablehlo.subtract %arg0, %7 : tensor<2x9xf32>
    %9 = stablehlo.compare NE, %8, %8, FLOAT : (tensor<2x9xf32>, tensor<2x9xf32>) -> tensor<2x9xi1>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x9xf32>
    %11 = stablehlo.add %arg0, %10 : tensor<2x9xf32>
    %12 = stablehlo.abs %8 : tensor<2x9xf32>
    %13 = stablehlo.negate %12 : tensor<2x9xf32>
    %14 = stablehlo.exponential %13 : tensor<2x9xf32>
    %15 = stablehlo.log_plus_one %14 : tensor<2x9xf32>
    %16 = stablehlo.add %6, %15 : tensor<2x9xf32>
    %17 = stablehlo.select %9, %11, %16 : tensor<2x9xi1>, tensor<2x9xf32>
    %18 = chlo.sinh %arg0 : tensor<2x9xf32> -> tensor<2x9xf32>
    return %0, %4, %17, %18 : tensor<2x9xf32>, tensor<2x9xf32>, tensor<2x9xf32>, tensor<2x9xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xA74BEE3D225193BF88598E3FEF04883F21D98A3FBEB6F2BE9FB7033F3A3D07BE6012C7BE80A4ADBE125DA6BF87D0B8BF37584B3F37D343BE7A9E5D3E0C38803F49D7DDBFC0BC48BF"> : tensor<2x9xf32>
    %r:4 = call @main(%a0) : (tensor<2x9xf32>) -> (tensor<2x9xf32>, tensor<2x9xf32>, tensor<2x9xf32>, tensor<2x9xf32>)
    %e0 = stablehlo.constant dense<"0xEFD6053E5A7A65BF915C623F21FB5D3F2FFF5F3F8EABFEBEA57D083FEBB717BEF3CDD5BEC1ACBCBE42176FBFA57675BFA31B3D3FF24C5ABE5D38763EB0E9573F6D5A7CBFA3873BBF"> : tensor<2x9xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2x9xf32>, tensor<2x9xf32>
    %e1 = stablehlo.constant dense<"0x703DBF3E4032D7BD8055E3BD40FDEEBD8051EABD009A7E3C008006BCB087B33E007C993DC092ED3DC0BE91BD00FFB9BC8088DBBD60188B3EE0FE763E403BF7BD801FEC3DC0BFD7BD"> : tensor<2x9xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<2x9xf32>, tensor<2x9xf32>
    %e2 = stablehlo.constant dense<"0xBE46AC3F68178E3F4419E03F97CBDC3F0643DE3FAF649A3F0263BD3F1BC4A33F7C7F9C3FD8CA9D3FAF3B8C3F46A88A3F153CCC3FF2F5A13F0828B03F15D5D83F0810883F0ADF933F"> : tensor<2x9xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<2x9xf32>, tensor<2x9xf32>
    %e3 = stablehlo.constant dense<"0x64D5EE3D1510B6BFAC8FAD3F821AA33FD8B9A73F38E8FBBE369B093FF5A107BE2620CCBE91FDB0BE3552D9BF5E0800C08C69613F550545BE6B5A5F3E89C3963F70692FC031F35DBF"> : tensor<2x9xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<2x9xf32>, tensor<2x9xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0xA74BEE3D225193BF88598E3FEF04883F21D98A3FBEB6F2BE9FB7033F3A3D07BE6012C7BE80A4ADBE125DA6BF87D0B8BF37584B3F37D343BE7A9E5D3E0C38803F49D7DDBFC0BC48BF"> : tensor<2x9xf32>
    %a1 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBE"> : tensor<2x9xf32>
    %a2 = stablehlo.constant dense<"0xFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE"> : tensor<2x9xf32>
    %a3 = stablehlo.constant dense<"0x596F0B3FF27C853F63EC53BE8E4250BF42FFB13EA17C7D3EE6A58C3F256DA4BF775F29BF1C9256BF33F4DDBF0F78013E2D1E073F58213DBFE25CB13FA269523FBF9B203F8DACCD3E"> : tensor<2x9xf32>
    %a4 = stablehlo.constant dense<"0xC3A6743F517EAABF7E2A1D3F954F1A3F9A44E2BFEEADB13E3A3780BEDF11483FC2CCE0BEDA6D95BC3C8AAF3EB05260BFA13D193FF1F6D6BDAF26FC3E259705BFA7088B3F84EE1A3F"> : tensor<2x9xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<2x9xf32>, tensor<2x9xf32>, tensor<2x9xf32>, tensor<2x9xf32>, tensor<2x9xf32>) -> (tensor<2x9xf32>)
    %e0 = stablehlo.constant dense<"0xCF67B13F5D1FF5BF08929A3FD2A56A3E26AB32C09BD7EABEF868D83F950A40BF983179BE635A46C0006DA23FC919FDBF7C85A43FF8C737BFE3A7B33F964141BEF15F36407BD12D3F"> : tensor<2x9xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 6.2e-05 : tensor<2x9xf32>, tensor<2x9xf32>
    return
  }
}
