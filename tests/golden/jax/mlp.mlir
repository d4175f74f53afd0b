module @jit_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x3xf32>, %arg4: tensor<3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<4x8xf32>) -> tensor<5x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
    %3 = stablehlo.add %0, %2 : tensor<5x8xf32>
    %4 = call @relu(%3) : (tensor<5x8xf32>) -> tensor<5x8xf32>
    %5 = stablehlo.dot_general %4, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
    %6 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
    %8 = stablehlo.add %5, %7 : tensor<5x3xf32>
    return %8 : tensor<5x3xf32>
  }
  func.func private @relu(%arg0: tensor<5x8xf32>) -> tensor<5x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<5x8xf32>
    return %1 : tensor<5x8xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x52E6B63DA24D17BFB5E9F2BD27B6FFBFF6D190BF23C6B93E713A08C056BB583F1780DFBF9DB9413F7E7258BFF66B473F1318063E02B7C4BF1BE49F3FDC89B83FB9C486BDC13E8CBE2AB423BE95A379BF"> : tensor<5x4xf32>
    %a1 = stablehlo.constant dense<"0x7E9E8C3FF7FA0ABF0AAD51BD79154BBF544620BF7F8CA3BFA6E7A03F22C91DBEA446773F694F5A3C6EC431BF4A43A7BE4D6B0FBFE266023CFA22C0BE578F99BE2375B0BF748D4EBF28B8D33FF1D52BBF8CEC86BF09B6AC3E7F21B43F781DBABFC08655BE32CE21BF1669E1BF28243C3F760DC0BC1A50923D7C9740BF78D9E83E"> : tensor<4x8xf32>
    %a2 = stablehlo.constant dense<"0x640F0ABF385512BE7DDB8DBF41A99BBFB5F2AA3F9DD101BF2157953ED7670ABD"> : tensor<8xf32>
    %a3 = stablehlo.constant dense<"0xC9DDE1BEBB0902BF184D213F648E9ABE0B141BBEFC09B63CD397963FF8352E3F2FE4C33E374610BF5AE4B0BF6514733F1469773FDD1510BEE6B80A3FA70C483F81C8543FCADF6B3FB746E9BEA2EAC13F5D909FBFE2995C3FAAE4FC3E81A55F3F"> : tensor<8x3xf32>
    %a4 = stablehlo.constant dense<"0x5883F03F4F02BE3F289592BF"> : tensor<3xf32>
    %r:1 = call @main(%a0, %a1, %a2, %a3, %a4) : (tensor<5x4xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>)
    %e0 = stablehlo.constant dense<"0xAC13AE403801BA408C62CCBFBCEAE140CC468BBE8C54D9407EAFC9403223BF3F22FA8640F483EB3F62907D4042ED36C071146740445530402FEB81BF"> : tensor<5x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<5x3xf32>, tensor<5x3xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x52E6B63DA24D17BFB5E9F2BD27B6FFBFF6D190BF23C6B93E713A08C056BB583F1780DFBF9DB9413F7E7258BFF66B473F1318063E02B7C4BF1BE49F3FDC89B83FB9C486BDC13E8CBE2AB423BE95A379BF"> : tensor<5x4xf32>
    %a1 = stablehlo.constant dense<"0x7E9E8C3FF7FA0ABF0AAD51BD79154BBF544620BF7F8CA3BFA6E7A03F22C91DBEA446773F694F5A3C6EC431BF4A43A7BE4D6B0FBFE266023CFA22C0BE578F99BE2375B0BF748D4EBF28B8D33FF1D52BBF8CEC86BF09B6AC3E7F21B43F781DBABFC08655BE32CE21BF1669E1BF28243C3F760DC0BC1A50923D7C9740BF78D9E83E"> : tensor<4x8xf32>
    %a2 = stablehlo.constant dense<"0x640F0ABF385512BE7DDB8DBF41A99BBFB5F2AA3F9DD101BF2157953ED7670ABD"> : tensor<8xf32>
    %a3 = stablehlo.constant dense<"0xC9DDE1BEBB0902BF184D213F648E9ABE0B141BBEFC09B63CD397963FF8352E3F2FE4C33E374610BF5AE4B0BF6514733F1469773FDD1510BEE6B80A3FA70C483F81C8543FCADF6B3FB746E9BEA2EAC13F5D909FBFE2995C3FAAE4FC3E81A55F3F"> : tensor<8x3xf32>
    %a4 = stablehlo.constant dense<"0x5883F03F4F02BE3F289592BF"> : tensor<3xf32>
    %a5 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BE"> : tensor<5x3xf32>
    %r:5 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4, %a5) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>]} : (tensor<5x4xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8x3xf32>, tensor<3xf32>, tensor<5x3xf32>) -> (tensor<5x4xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8x3xf32>, tensor<3xf32>)
    %e0 = stablehlo.constant dense<"0x8224BA3E35E6BCBFD11B2E40A7AB33C0A0F1ED3F84CA323FCC50C93FCF9405BFD3001DC0A98482BF69C31DC04C5C7F3F6764AF4020F3C9BD569CDB40507E1DC0FCA98CBE87FE23BFB9EB063F75A158BF"> : tensor<5x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 1.4e-04 : tensor<5x4xf32>, tensor<5x4xf32>
    %e1 = stablehlo.constant dense<"0x9CBE4CBD16CD243DE27EBA3D76D284BF643B8DBF9CCF1DBFB1C6F83E2A4C43BF7D52833C4BC9F83D4A3780BF014AD93EE2934C4022B5D23EE56BADC082ABED3EF698C0BD31D362BE1D2285BE620051BF41CFF9BFE4E7BE3FDA9383408FB0A43FC134193D3F381C3F80775AC0D6E4073F0EEB89C0218BE5BD8C4F74405EC591BC"> : tensor<4x8xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 1.1e-04 : tensor<4x8xf32>, tensor<4x8xf32>
    %e2 = stablehlo.constant dense<"0xE8F6343D4CE6AEBE5491FF3F03092A3F7EE95ABF60BC3ABDFFBE734050758B3D"> : tensor<8xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 7.6e-05 : tensor<8xf32>, tensor<8xf32>
    %e3 = stablehlo.constant dense<"0xC03C2DBFAF4ECABEDB0833BFDF484A3E155E703F6209873F1453E93E8C405F4029434040B3D45FBEB6580ABF7DA96DBD191C1DBF50D80040BD38BB3F66BF353FC5C02CBEBC8D783F99B721C06A4FA74061A9F63F3F9562BFB25C91BF7EBC29BF"> : tensor<8x3xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 1.0e-04 : tensor<8x3xf32>, tensor<8x3xf32>
    %e4 = stablehlo.constant dense<"0x056389BF71E21B402EFC773F"> : tensor<3xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 4.9e-05 : tensor<3xf32>, tensor<3xf32>
    return
  }
}
