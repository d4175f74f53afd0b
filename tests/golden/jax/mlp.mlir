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
}
