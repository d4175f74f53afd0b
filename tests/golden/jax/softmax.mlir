module @jit_softmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x10xf32>) -> (tensor<4x10xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x10xf32>
    %6 = stablehlo.exponential %5 : tensor<4x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %10 = stablehlo.divide %6, %9 : tensor<4x10xf32>
    return %10 : tensor<4x10xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x193DA13A2DF5983ECC5B8CBED4FD63BF9CCAE8BE8CDC7DBF2359763D2C8CAB3F7E02FCBE71D71EBF94CCFA3EE5B9B63E6DE3D73D27336EBF85A1EFBC64FF313F390FACBF9D4CEABE445BF3BF930FA5BFF9BDEBBFBBBB70BEB03BA2BF29E38A3E5B83203ED36A3FBE971221C0C7E709BFEDA846BD8B0EE83D7DDBC3BF149CF4BE3A807ABFF50F4FBF87CB873F98BA4EBF7B3505BD6067623FD76615BFFEC3E4BD"> : tensor<4x10xf32>
    %r:1 = call @main(%a0) : (tensor<4x10xf32>) -> (tensor<4x10xf32>)
    %e0 = stablehlo.constant dense<"0x2C3EC23D60C6023EB87C933D563E1F3D8640763D06F00F3DBC07CE3D7244B93E1B2E6D3DB3A0503DC49E3C3E4723253E916B003EE04F363DFF7AE03D8EA4673EF213F13C0444923D571E8A3C56A0FE3C0C72B23C3C6FDE3D9D721E3D0D89383E9391243EC068E93D79B5353CEC30A43D1908063E90921D3E8158B43C0C26813D968B1C3DAD7E393D4967963E92BC393DF294C93D3F227C3EBB5A683D703CBA3D"> : tensor<4x10xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<4x10xf32>, tensor<4x10xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x193DA13A2DF5983ECC5B8CBED4FD63BF9CCAE8BE8CDC7DBF2359763D2C8CAB3F7E02FCBE71D71EBF94CCFA3EE5B9B63E6DE3D73D27336EBF85A1EFBC64FF313F390FACBF9D4CEABE445BF3BF930FA5BFF9BDEBBFBBBB70BEB03BA2BF29E38A3E5B83203ED36A3FBE971221C0C7E709BFEDA846BD8B0EE83D7DDBC3BF149CF4BE3A807ABFF50F4FBF87CB873F98BA4EBF7B3505BD6067623FD76615BFFEC3E4BD"> : tensor<4x10xf32>
    %a1 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE596F0B3FF27C853F63EC53BE8E4250BF"> : tensor<4x10xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>]} : (tensor<4x10xf32>, tensor<4x10xf32>) -> (tensor<4x10xf32>)
    %e0 = stablehlo.constant dense<"0x94DF79BC1C52183E2EDF973DF1A0E0BC25C9F2BC4BF4CFBCBD691A3DEE0CBABDE9E5023DC00AD5BD43BC533ED17DB2BDADD8F23C38B0D3BCFDC4B8BD40A88D3B8977373C55213DBDB9DA24BCEC2BF63B26E91D3B2B4E6DBDA4035A3DA81C653DDE971ABE87D39B3C4A90BA3B58658BBCCF1D89BD4758203ECCA42D3C0DA027BDB08035BD420AB7BA6A54B53D36F504BD35C54F3C6A191E3E0EB510BDD4F2E4BD"> : tensor<4x10xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-05 : tensor<4x10xf32>, tensor<4x10xf32>
    return
  }
}
