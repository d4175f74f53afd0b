module @jit_narrow attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8xf32>) -> (tensor<3x8xbf16> {jax.result_info = "result[0]"}, tensor<3x8xbf16> {jax.result_info = "result[1]"}, tensor<3xf16> {jax.result_info = "result[2]"}, tensor<3x8xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x8xf32>) -> tensor<3x8xbf16>
    %1 = stablehlo.multiply %0, %0 : tensor<3x8xbf16>
    %2 = stablehlo.negate %0 : tensor<3x8xbf16>
    %3 = stablehlo.convert %arg0 : (tensor<3x8xf32>) -> tensor<3x8xf16>
    %4 = stablehlo.convert %3 : (tensor<3x8xf16>) -> tensor<3x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.convert %5 : (tensor<3xf32>) -> tensor<3xf16>
    %7 = stablehlo.convert %0 : (tensor<3x8xbf16>) -> tensor<3x8xf32>
    return %1, %2, %6, %7 : tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<3xf16>, tensor<3x8xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x3F0168BF571821BD8666DCBF40C8263F096E8ABFCA36E7BF5A8D72BD16878D3F1421C3BFC0448BBF43473EBF599390BF5F44C23EA2AF4EBF31B538BF8153153F686941BF5A95DD3EB3AC78BF5B279BBF01F0EABFE53BEE3FFEF8A3BEABC9793E"> : tensor<3x8xf32>
    %r:4 = call @main(%a0) : (tensor<3x8xf32>) -> (tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<3xf16>, tensor<3x8xf32>)
    %e0 = stablehlo.constant dense<"0x523FCB3A3D40DA3E953F5040673B9E3F1540973F0D3FA43F133E273F063FAD3E123F413E723FBC3F58405D40D23D743D"> : tensor<3x8xbf16>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<3x8xbf16>, tensor<3x8xbf16>
    %e1 = stablehlo.constant dense<"0x683F213DDC3F27BF8A3FE73F733D8EBFC33F8B3F3E3F913FC2BE4F3F393F15BF413FDEBE793F9B3FEB3FEEBFA43E7ABE"> : tensor<3x8xbf16>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<3x8xbf16>, tensor<3x8xbf16>
    %e2 = stablehlo.constant dense<"0xB7C30DC51DC1"> : tensor<3xf16>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<3xf16>, tensor<3xf16>
    %e3 = stablehlo.constant dense<"0x000068BF000021BD0000DCBF0000273F00008ABF0000E7BF000073BD00008E3F0000C3BF00008BBF00003EBF000091BF0000C23E00004FBF000039BF0000153F000041BF0000DE3E000079BF00009BBF0000EBBF0000EE3F0000A4BE00007A3E"> : tensor<3x8xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<3x8xf32>, tensor<3x8xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x3F0168BF571821BD8666DCBF40C8263F096E8ABFCA36E7BF5A8D72BD16878D3F1421C3BFC0448BBF43473EBF599390BF5F44C23EA2AF4EBF31B538BF8153153F686941BF5A95DD3EB3AC78BF5B279BBF01F0EABFE53BEE3FFEF8A3BEABC9793E"> : tensor<3x8xf32>
    %a1 = stablehlo.constant dense<"0x0C3DAE3F9D3F03BF99BE07BF123F66BD3F3FECBFC93FC5BD2E3F0CBEC2BEED3E533F4FBE1CBE303F5FBFC2BFCA3E2CBF"> : tensor<3x8xbf16>
    %a2 = stablehlo.constant dense<"0xF6BF50BFEFBE99BFBFBF163D663F6FBE3EBFC53E383F9ABE0B3F853F54BE50BFB23E7D3E8D3FA4BF29BF57BFDEBF013E"> : tensor<3x8xbf16>
    %a3 = stablehlo.constant dense<"0x3938E9B98B3D"> : tensor<3xf16>
    %a4 = stablehlo.constant dense<"0xA269523FBF9B203F8DACCD3EC3A6743F517EAABF7E2A1D3F954F1A3F9A44E2BFEEADB13E3A3780BEDF11483FC2CCE0BEDA6D95BC3C8AAF3EB05260BFA13D193FF1F6D6BDAF26FC3E259705BFA7088B3F84EE1A3F314C36BEF2C7213FA83FA13F"> : tensor<3x8xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<3x8xf32>, tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<3xf16>, tensor<3x8xf32>) -> (tensor<3x8xf32>)
    %e0 = stablehlo.constant dense<"0x00C84D400090ED3F003834C000C800400010AB3F00C840400080283E007090BF0090F4BF00B82840004840C000E028BF002049BF00909BBF00205CBF0070993F0080A2BE0040BA3F00006C3D007006400058BB40005065C000B0604000300C40"> : tensor<3x8xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 1.2e-04 : tensor<3x8xf32>, tensor<3x8xf32>
    return
  }
}
