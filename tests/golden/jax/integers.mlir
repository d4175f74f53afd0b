module @jit_integers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xi32>, %arg1: tensor<12xi32>) -> (tensor<12xi32> {jax.result_info = "result[0]"}, tensor<12xi32> {jax.result_info = "result[1]"}, tensor<12xi32> {jax.result_info = "result[2]"}, tensor<12xi32> {jax.result_info = "result[3]"}, tensor<12xi32> {jax.result_info = "result[4]"}, tensor<12xf32> {jax.result_info = "result[5]"}) {
    %0 = call @floor_divide(%arg0, %arg1) : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    %1 = call @remainder(%arg0, %arg1) : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<12xi32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %4 = stablehlo.and %arg1, %3 : tensor<12xi32>
    %5 = stablehlo.shift_left %arg0, %4 : tensor<12xi32>
    %c_0 = stablehlo.constant dense<-5> : tensor<i32>
    %c_1 = stablehlo.constant dense<5> : tensor<i32>
    %6 = call @clip(%arg0, %c_0, %c_1) : (tensor<12xi32>, tensor<i32>, tensor<i32>) -> tensor<12xi32>
    %7 = stablehlo.convert %arg0 : (tensor<12xi32>) -> tensor<12xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %9 = stablehlo.divide %7, %8 : tensor<12xf32>
    return %0, %1, %2, %5, %6, %9 : tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xf32>
  }
  func.func private @floor_divide(%arg0: tensor<12xi32>, %arg1: tensor<12xi32>) -> tensor<12xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<12xi32>
    %1 = stablehlo.sign %arg0 : tensor<12xi32>
    %2 = stablehlo.sign %arg1 : tensor<12xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %7 = stablehlo.and %3, %6 : tensor<12xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %9 = stablehlo.subtract %0, %8 : tensor<12xi32>
    %10 = call @_where(%7, %9, %0) : (tensor<12xi1>, tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    return %10 : tensor<12xi32>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<12xi32>, %arg2: tensor<12xi32>) -> tensor<12xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xi32>
    return %0 : tensor<12xi32>
  }
  func.func private @remainder(%arg0: tensor<12xi32>, %arg1: tensor<12xi32>) -> tensor<12xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<12xi1>, tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<12xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %12 = stablehlo.and %11, %6 : tensor<12xi1>
    %13 = stablehlo.add %4, %3 : tensor<12xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<12xi1>, tensor<12xi32>
    return %14 : tensor<12xi32>
  }
  func.func private @clip(%arg0: tensor<12xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<12xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<12xi32>
    %3 = stablehlo.convert %arg2 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %5 = stablehlo.minimum %4, %2 : tensor<12xi32>
    return %5 : tensor<12xi32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x20000000D1FFFFFF1F000000F2FFFFFF110000000F0000000E000000F7FFFFFFF6FFFFFFD8FFFFFF05000000EBFFFFFF"> : tensor<12xi32>
    %a1 = stablehlo.constant dense<"0x040000000200000006000000080000000400000004000000040000000100000007000000080000000500000001000000"> : tensor<12xi32>
    %r:6 = call @main(%a0, %a1) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<12xf32>)
    %e0 = stablehlo.constant dense<"0x08000000E8FFFFFF05000000FEFFFFFF040000000300000003000000F7FFFFFFFEFFFFFFFBFFFFFF01000000EBFFFFFF"> : tensor<12xi32>
    check.expect_eq %r#0, %e0 : tensor<12xi32>, tensor<12xi32>
    %e1 = stablehlo.constant dense<"0x000000000100000001000000020000000100000003000000020000000000000004000000000000000000000000000000"> : tensor<12xi32>
    check.expect_eq %r#1, %e1 : tensor<12xi32>, tensor<12xi32>
    %e2 = stablehlo.constant dense<"0x24000000D3FFFFFF19000000FAFFFFFF150000000B0000000A000000F6FFFFFFF1FFFFFFD0FFFFFF00000000EAFFFFFF"> : tensor<12xi32>
    check.expect_eq %r#2, %e2 : tensor<12xi32>, tensor<12xi32>
    %e3 = stablehlo.constant dense<"0x0002000044FFFFFFC0070000F2FFFFFF10010000F0000000E0000000EEFFFFFF00FBFFFFD8FFFFFFA0000000D6FFFFFF"> : tensor<12xi32>
    check.expect_eq %r#3, %e3 : tensor<12xi32>, tensor<12xi32>
    %e4 = stablehlo.constant dense<"0x05000000FBFFFFFF05000000FBFFFFFF050000000500000005000000FBFFFFFFFBFFFFFFFBFFFFFF05000000FBFFFFFF"> : tensor<12xi32>
    check.expect_eq %r#4, %e4 : tensor<12xi32>, tensor<12xi32>
    %e5 = stablehlo.constant dense<"0xABAA2A41ABAA7AC156552541565595C05655B5400000A04056559540000040C0565555C0565555C15655D53F0000E0C0"> : tensor<12xf32>
    check.expect_almost_eq %r#5, %e5, tolerance = 2.0e-5 : tensor<12xf32>, tensor<12xf32>
    return
  }
}
