module @jit_argmaxes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x5xf32>) -> (tensor<6xi32> {jax.result_info = "result[0]"}, tensor<5xi32> {jax.result_info = "result[1]"}) {
    %0 = call @argmax(%arg0) : (tensor<6x5xf32>) -> tensor<6xi32>
    %1 = call @argmin(%arg0) : (tensor<6x5xf32>) -> tensor<5xi32>
    return %0, %1 : tensor<6xi32>, tensor<5xi32>
  }
  func.func private @argmax(%arg0: tensor<6x5xf32>) -> tensor<6xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<6x5xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<6x5xf32>, tensor<6x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
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
  func.func private @argmin(%arg0: tensor<6x5xf32>) -> tensor<5xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<6x5xi32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<6x5xf32>, tensor<6x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
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
    return %1#1 : tensor<5xi32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x6426D8BFA41F513FEDEB81BFF93F4BBC61F8563FF467D2BFEB0907C0D7C2843EFBCD353DCDB37BBEA1D61D3DC04A5CBF2FBAC1BF0000C07FE7C178BF995DD2BF5174013F217D7BBD8224D03E6F427DBF8A7628BF49C17FBFF6FA62BF0319483E067148BF524EB63E7DF4AD3E3D9C0140E946B2BF924D633F"> : tensor<6x5xf32>
    %r:2 = call @main(%a0) : (tensor<6x5xf32>) -> (tensor<6xi32>, tensor<5xi32>)
    %e0 = stablehlo.constant dense<"0x040000000200000003000000010000000300000002000000"> : tensor<6xi32>
    check.expect_eq %r#0, %e0 : tensor<6xi32>, tensor<6xi32>
    %e1 = stablehlo.constant dense<"0x0000000001000000020000000200000003000000"> : tensor<5xi32>
    check.expect_eq %r#1, %e1 : tensor<5xi32>, tensor<5xi32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x6426D8BFA41F513FEDEB81BFF93F4BBC61F8563FF467D2BFEB0907C0D7C2843EFBCD353DCDB37BBEA1D61D3DC04A5CBF2FBAC1BF0000C07FE7C178BF995DD2BF5174013F217D7BBD8224D03E6F427DBF8A7628BF49C17FBFF6FA62BF0319483E067148BF524EB63E7DF4AD3E3D9C0140E946B2BF924D633F"> : tensor<6x5xf32>
    %r:1 = enzyme.autodiff @main(%a0) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_constnoneed>, #enzyme<activity enzyme_constnoneed>]} : (tensor<6x5xf32>) -> (tensor<6x5xf32>)
    %e0 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<6x5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-05 : tensor<6x5xf32>, tensor<6x5xf32>
    return
  }
}
