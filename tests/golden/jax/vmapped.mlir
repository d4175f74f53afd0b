module @jit_vmapped attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xf32>, %arg1: tensor<6x3xf32>) -> (tensor<6xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<6x3xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.tanh %0 : tensor<4x6xf32>
    %2 = call @argmax(%1) : (tensor<4x6xf32>) -> tensor<6xi32>
    return %2 : tensor<6xi32>
  }
  func.func private @argmax(%arg0: tensor<4x6xf32>) -> tensor<6xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x6xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<6xi32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x8A5BFEBC04CD233E0D844B3D7540F43F8CFB84BFEB5AC7BFE58781BFBFD7AABFE8383F3F4E04523FC71876BFCDF9B1BF"> : tensor<4x3xf32>
    %a1 = stablehlo.constant dense<"0xE8A7B5BE5910B23FD37334C003D1063F59B289BFC02A853F69F989BF062292BEC1CDC0BF922D7ABF2D63B13F7211523F73A7CDBE9EC35EBF4668F2BF5F8DC9BED128FDBCB124ACBD"> : tensor<6x3xf32>
    %r:1 = call @main(%a0, %a1) : (tensor<4x3xf32>, tensor<6x3xf32>) -> (tensor<6xi32>)
    %e0 = stablehlo.constant dense<"0x030000000200000003000000000000000300000002000000"> : tensor<6xi32>
    check.expect_eq %r#0, %e0 : tensor<6xi32>, tensor<6xi32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x8A5BFEBC04CD233E0D844B3D7540F43F8CFB84BFEB5AC7BFE58781BFBFD7AABFE8383F3F4E04523FC71876BFCDF9B1BF"> : tensor<4x3xf32>
    %a1 = stablehlo.constant dense<"0xE8A7B5BE5910B23FD37334C003D1063F59B289BFC02A853F69F989BF062292BEC1CDC0BF922D7ABF2D63B13F7211523F73A7CDBE9EC35EBF4668F2BF5F8DC9BED128FDBCB124ACBD"> : tensor<6x3xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_constnoneed>]} : (tensor<4x3xf32>, tensor<6x3xf32>) -> (tensor<4x3xf32>, tensor<6x3xf32>)
    %e0 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-05 : tensor<4x3xf32>, tensor<4x3xf32>
    %e1 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<6x3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-05 : tensor<6x3xf32>, tensor<6x3xf32>
    return
  }
}
