module @jit_scan_counts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf32>) -> (tensor<5xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0, %iterArg_3 = %cst) : tensor<i32>, tensor<i32>, tensor<5xf32>, tensor<f32>
    cond {
      %c_4 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:3 = func.call @closed_call(%iterArg_1, %iterArg_2, %iterArg_3) : (tensor<i32>, tensor<5xf32>, tensor<f32>) -> (tensor<i32>, tensor<5xf32>, tensor<f32>)
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1, %1#2 : tensor<i32>, tensor<i32>, tensor<5xf32>, tensor<f32>
    }
    return %0#2, %0#3 : tensor<5xf32>, tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<5xf32>, %arg2: tensor<f32>) -> (tensor<i32>, tensor<5xf32>, tensor<f32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_1 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.add %arg0, %c_1 : tensor<i32>
    %3 = stablehlo.select %1, %2, %arg0 : tensor<i1>, tensor<i32>
    %4 = stablehlo.convert %3 : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = "stablehlo.scatter"(%arg1, %5, %cst) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %16 = stablehlo.multiply %arg3, %arg4 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<5xf32>, tensor<1xi32>, tensor<f32>) -> tensor<5xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %arg0, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.convert %arg0 : tensor<i32>
    %c_3 = stablehlo.constant dense<5> : tensor<i32>
    %9 = stablehlo.add %8, %c_3 : tensor<i32>
    %10 = stablehlo.select %7, %9, %arg0 : tensor<i1>, tensor<i32>
    %11 = stablehlo.dynamic_slice %arg1, %10, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %12 = stablehlo.reshape %11 : (tensor<1xf32>) -> tensor<f32>
    %13 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %14 = stablehlo.multiply %12, %13 : tensor<f32>
    %15 = stablehlo.add %arg2, %14 : tensor<f32>
    return %0, %6, %15 : tensor<i32>, tensor<5xf32>, tensor<f32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x0A5580BFCED9D1BFE8A6143FD4DA61BDDEE79D3E"> : tensor<5xf32>
    %r:2 = call @main(%a0) : (tensor<5xf32>) -> (tensor<5xf32>, tensor<f32>)
    %e0 = stablehlo.constant dense<"0x0A5500C0CED951C0E8A6943FD4DAE1BDDEE71D3F"> : tensor<5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<5xf32>, tensor<5xf32>
    %e1 = stablehlo.constant dense<"0xE810173F"> : tensor<f32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x0A5580BFCED9D1BFE8A6143FD4DA61BDDEE79D3E"> : tensor<5xf32>
    %a1 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BE"> : tensor<5xf32>
    %a2 = stablehlo.constant dense<"0xA70207BF"> : tensor<f32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<5xf32>, tensor<5xf32>, tensor<f32>) -> (tensor<5xf32>)
    %e0 = stablehlo.constant dense<"0xB70D8C3D8B4B0C40AB84B23FBB9326C084262DC0"> : tensor<5xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 5.4e-05 : tensor<5xf32>, tensor<5xf32>
    return
  }
}
