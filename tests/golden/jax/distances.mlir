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
}
