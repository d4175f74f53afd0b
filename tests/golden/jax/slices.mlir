module @jit_slices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}, tensor<5x9xf32> {jax.result_info = "result[2]"}, tensor<4x12xf32> {jax.result_info = "result[3]"}, tensor<4x6xf32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.slice %arg0 [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = call @_pad(%arg0, %c) : (tensor<4x6xf32>, tensor<i32>) -> tensor<5x9xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<4x6xf32>
    %5 = stablehlo.concatenate %arg0, %4, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
    %6 = call @_roll_static(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %0, %1, %2, %5, %6 : tensor<2x3xf32>, tensor<4x6xf32>, tensor<5x9xf32>, tensor<4x12xf32>, tensor<4x6xf32>
  }
  func.func private @_pad(%arg0: tensor<4x6xf32>, %arg1: tensor<i32>) -> tensor<5x9xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 2], high = [0, 1], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<5x9xf32>
    return %1 : tensor<5x9xf32>
  }
  func.func private @_roll_static(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.slice %arg0 [3:4, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %1 = stablehlo.slice %arg0 [0:3, 0:6] : (tensor<4x6xf32>) -> tensor<3x6xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x6xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
    return %2 : tensor<4x6xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xFA8A333EA6C0C83EE70FC1BE25BC833FC571573E1B509BBF89466EBF5A334E3F517BED3E7014F3BFD681AC3F4D18193FAAF2AB3F7174C4BECE6697BEBF2F90BF0E5D224046AA33BE4A34CB3FF5B425BFFCC5273EE1EED5BF2A07C4BE5DD77B3F"> : tensor<4x6xf32>
    %r:5 = call @main(%a0) : (tensor<4x6xf32>) -> (tensor<2x3xf32>, tensor<4x6xf32>, tensor<5x9xf32>, tensor<4x12xf32>, tensor<4x6xf32>)
    %e0 = stablehlo.constant dense<"0x89466EBF517BED3ED681AC3FAAF2AB3FCE6697BE0E5D2240"> : tensor<2x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2x3xf32>, tensor<2x3xf32>
    %e1 = stablehlo.constant dense<"0x4A34CB3FF5B425BFFCC5273EE1EED5BF2A07C4BE5DD77B3FAAF2AB3F7174C4BECE6697BEBF2F90BF0E5D224046AA33BE89466EBF5A334E3F517BED3E7014F3BFD681AC3F4D18193FFA8A333EA6C0C83EE70FC1BE25BC833FC571573E1B509BBF"> : tensor<4x6xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4x6xf32>, tensor<4x6xf32>
    %e2 = stablehlo.constant dense<"0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FA8A333EA6C0C83EE70FC1BE25BC833FC571573E1B509BBF00000000000000000000000089466EBF5A334E3F517BED3E7014F3BFD681AC3F4D18193F000000000000000000000000AAF2AB3F7174C4BECE6697BEBF2F90BF0E5D224046AA33BE0000000000000000000000004A34CB3FF5B425BFFCC5273EE1EED5BF2A07C4BE5DD77B3F00000000"> : tensor<5x9xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<5x9xf32>, tensor<5x9xf32>
    %e3 = stablehlo.constant dense<"0xFA8A333EA6C0C83EE70FC1BE25BC833FC571573E1B509BBFFA8AB33EA6C0483FE70F41BF25BC0340C571D73E1B501BC089466EBF5A334E3F517BED3E7014F3BFD681AC3F4D18193F8946EEBF5A33CE3F517B6D3F701473C0D6812C404D18993FAAF2AB3F7174C4BECE6697BEBF2F90BF0E5D224046AA33BEAAF22B40717444BFCE6617BFBF2F10C00E5DA24046AAB3BE4A34CB3FF5B425BFFCC5273EE1EED5BF2A07C4BE5DD77B3F4A344B40F5B4A5BFFCC5A73EE1EE55C02A0744BF5DD7FB3F"> : tensor<4x12xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<4x12xf32>, tensor<4x12xf32>
    %e4 = stablehlo.constant dense<"0x4A34CB3FF5B425BFFCC5273EE1EED5BF2A07C4BE5DD77B3FFA8A333EA6C0C83EE70FC1BE25BC833FC571573E1B509BBF89466EBF5A334E3F517BED3E7014F3BFD681AC3F4D18193FAAF2AB3F7174C4BECE6697BEBF2F90BF0E5D224046AA33BE"> : tensor<4x6xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 2.0e-5 : tensor<4x6xf32>, tensor<4x6xf32>
    return
  }
}
