module @jit_control attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %arg0) : tensor<i32>, tensor<4x4xf32>
    cond {
      %10 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %12 = stablehlo.multiply %iterArg_4, %11 : tensor<4x4xf32>
      stablehlo.return %10, %12 : tensor<i32>, tensor<4x4xf32>
    }
    %1 = stablehlo.slice %arg0 [0:1, 0:1] : (tensor<4x4xf32>) -> tensor<1x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x1xf32>) -> tensor<f32>
    %3 = stablehlo.compare GT, %2, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x4xf32>) -> tensor<4xf32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %7:4 = stablehlo.while(%iterArg = %0#1, %iterArg_4 = %c_3, %iterArg_5 = %5, %iterArg_6 = %6) : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    cond {
      %10 = stablehlo.compare LT, %iterArg_4, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %11:2 = func.call @closed_call(%iterArg_5, %10) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %12 = func.call @dynamic_update_index_in_dim(%iterArg_6, %11#1, %iterArg_4) : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4x4xf32>
      %13 = stablehlo.add %iterArg_4, %c_1 : tensor<i32>
      stablehlo.return %iterArg, %13, %11#0, %12 : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    }
    %8 = stablehlo.convert %3 : (tensor<i1>) -> tensor<i32>
    %9 = "stablehlo.case"(%8) ({
      %10 = stablehlo.cosine %7#3 : tensor<4x4xf32>
      stablehlo.return %10 : tensor<4x4xf32>
    }, {
      %10 = stablehlo.tanh %7#3 : tensor<4x4xf32>
      stablehlo.return %10 : tensor<4x4xf32>
    }) : (tensor<i32>) -> tensor<4x4xf32>
    return %9 : tensor<4x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 4] : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> tensor<4x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<4x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
