module @jit_updates attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>, %arg1: tensor<1x5xf32>, %arg2: tensor<i32>) -> (tensor<4x5xf32> {jax.result_info = "result[0]"}, tensor<4x5xf32> {jax.result_info = "result[1]"}, tensor<2x2xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.add %arg2, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg2 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<9> : tensor<i32>
    %3 = stablehlo.dynamic_update_slice %arg0, %arg1, %2, %c_1 : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
    %4 = stablehlo.reshape %arg1 : (tensor<1x5xf32>) -> tensor<5xf32>
    %5 = call @dynamic_update_index_in_dim(%arg0, %4, %arg2) : (tensor<4x5xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4x5xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %arg2, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<5> : tensor<i32>
    %7 = stablehlo.add %arg2, %c_3 : tensor<i32>
    %8 = stablehlo.select %6, %7, %arg2 : tensor<i1>, tensor<i32>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %9 = stablehlo.dynamic_slice %arg0, %c_4, %8, sizes = [2, 2] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    return %3, %5, %9 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<2x2xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x5xf32>, %arg1: tensor<5xf32>, %arg2: tensor<i32>) -> tensor<4x5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.add %arg2, %c_0 : tensor<i32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_update_slice %arg0, %0, %3, %c_1 : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
    return %4 : tensor<4x5xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x4694A0BE999795BDE42E0ABFEECA1CBF9064D7BFFCB4F2BC733AEC3FDD80FD3F5231A93F6AAF343FCD2D2DBF0FACB83F02E665BD9A0E8DBDB91B95BE8556BC3D7DD4DEBEFC95ABBD25D48ABFD950BFBE"> : tensor<4x5xf32>
    %a1 = stablehlo.constant dense<"0xA3F4114050878EBD6F6374BEAE49083F7947353F"> : tensor<1x5xf32>
    %a2 = stablehlo.constant dense<"0x02000000"> : tensor<i32>
    %r:3 = call @main(%a0, %a1, %a2) : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<2x2xf32>)
    %e0 = stablehlo.constant dense<"0x4694A0BE999795BDE42E0ABFEECA1CBF9064D7BFFCB4F2BC733AEC3FDD80FD3F5231A93F6AAF343FA3F4114050878EBD6F6374BEAE49083F7947353F8556BC3D7DD4DEBEFC95ABBD25D48ABFD950BFBE"> : tensor<4x5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e1 = stablehlo.constant dense<"0x4694A0BE999795BDE42E0ABFEECA1CBF9064D7BFFCB4F2BC733AEC3FDD80FD3F5231A93F6AAF343FA3F4114050878EBD6F6374BEAE49083F7947353F8556BC3D7DD4DEBEFC95ABBD25D48ABFD950BFBE"> : tensor<4x5xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4x5xf32>, tensor<4x5xf32>
    %e2 = stablehlo.constant dense<"0x02E665BD9A0E8DBDFC95ABBD25D48ABF"> : tensor<2x2xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<2x2xf32>, tensor<2x2xf32>
    return
  }
}
