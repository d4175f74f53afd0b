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
}
