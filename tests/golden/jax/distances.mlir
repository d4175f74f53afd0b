module @jit_distances attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<3x6xf32>) -> (tensor<4x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<3x6xf32>) -> tensor<1x3x6xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x1x6xf32>) -> tensor<4x3x6xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x3x6xf32>) -> tensor<4x3x6xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<4x3x6xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<4x3x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x3x6xf32>, tensor<f32>) -> tensor<4x3xf32>
    return %6 : tensor<4x3xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xD4E1C13E8F4427C02B34803EEE437BBDDC6DAA3D0AD789BFDBE789BE778936BE7913983F063AAB3EF906B6BB4AB5C33FBA240EBF6963C7BE6E8BE8BF76D8C83F7CDE763F8EB66A3FEE3C2B3F9595E13D22A95C3E020781BEA17C50BE776D5E3D"> : tensor<4x6xf32>
    %a1 = stablehlo.constant dense<"0xA183C13F90410E3FE3736FBD0A5314BF438F22BF7025CD3F42B6013FF2578A3DBF3EB1BE76F58DBFB6EE88BD0EA85F3FA4FAC8BE48B268BED45662BE0373E03DC8E7CBBF440C71BE"> : tensor<3x6xf32>
    %r:1 = call @main(%a0, %a1) : (tensor<4x6xf32>, tensor<3x6xf32>) -> (tensor<4x3xf32>)
    %e0 = stablehlo.constant dense<"0x731A9B4160C44741E8EF20414B0FD0404B12B1401BFAF540706E7E414ACA3B41208D4941DD316B406253E23F0DE06440"> : tensor<4x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<4x3xf32>, tensor<4x3xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0xD4E1C13E8F4427C02B34803EEE437BBDDC6DAA3D0AD789BFDBE789BE778936BE7913983F063AAB3EF906B6BB4AB5C33FBA240EBF6963C7BE6E8BE8BF76D8C83F7CDE763F8EB66A3FEE3C2B3F9595E13D22A95C3E020781BEA17C50BE776D5E3D"> : tensor<4x6xf32>
    %a1 = stablehlo.constant dense<"0xA183C13F90410E3FE3736FBD0A5314BF438F22BF7025CD3F42B6013FF2578A3DBF3EB1BE76F58DBFB6EE88BD0EA85F3FA4FAC8BE48B268BED45662BE0373E03DC8E7CBBF440C71BE"> : tensor<3x6xf32>
    %a2 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD"> : tensor<4x3xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1, %a2) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>]} : (tensor<4x6xf32>, tensor<3x6xf32>, tensor<4x3xf32>) -> (tensor<4x6xf32>, tensor<3x6xf32>)
    %e0 = stablehlo.constant dense<"0x8451BB3F78A655C1C016334059D21D40BD0492403E90F1C094A00940A409583FA4106BC001EC01C0529D16C006480BC01CAD1EC01E4CA2BF9B1C87C0E47E8A40B8DBB04037526F3FFABD5A40E474DB3FCED6293FE5CEC53F6F9312C083424640"> : tensor<4x6xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.7e-04 : tensor<4x6xf32>, tensor<4x6xf32>
    %e1 = stablehlo.constant dense<"0x2EF61FC044FF8CBF60898840DCBFAEBEE0C7BA3E169A9AC024DC3DBFEDB8DE408D7E28C034F78BC0D493303E6E450441FAD9A7BF6D88C640332933405B0ACCBF3179BFC0E26F1040"> : tensor<3x6xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 1.7e-04 : tensor<3x6xf32>, tensor<3x6xf32>
    return
  }
}
