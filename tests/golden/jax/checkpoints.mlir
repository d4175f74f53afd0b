module @jit_checkpoints attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1][0]"}, tensor<4x4xf32> {jax.result_info = "result[1][1]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.tanh %0 : tensor<4x4xf32>
    %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.tanh %2 : tensor<4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %5 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x4xf32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8:4 = stablehlo.while(%iterArg = %arg0, %iterArg_19 = %c, %iterArg_20 = %6, %iterArg_21 = %7) : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %c_22 = stablehlo.constant dense<4> : tensor<i32>
      %98 = stablehlo.compare LT, %iterArg_19, %c_22, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %98 : tensor<i1>
    } do {
      %98 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_19) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %99:2 = func.call @closed_call(%iterArg_20, %98) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
      %100 = func.call @dynamic_update_index_in_dim(%iterArg_21, %99#1, %iterArg_19) : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
      %c_22 = stablehlo.constant dense<1> : tensor<i32>
      %101 = stablehlo.add %iterArg_19, %c_22 : tensor<i32>
      stablehlo.return %iterArg, %101, %99#0, %100 : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8#2 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.add %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8#3 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %12 = stablehlo.add %10, %11 : tensor<f32>
    %13 = stablehlo.add %4, %12 : tensor<f32>
    %14 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %15 = stablehlo.dot_general %14, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %16 = stablehlo.dot_general %arg0, %15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %17 = stablehlo.tanh %16 : tensor<4x4xf32>
    %18 = stablehlo.dot_general %17, %15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %19 = stablehlo.tanh %18 : tensor<4x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %21 = stablehlo.exponential %20 : tensor<f32>
    %22 = stablehlo.add %13, %21 : tensor<f32>
    %23 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %24 = stablehlo.reshape %23 : (tensor<1x4xf32>) -> tensor<4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %26:4 = stablehlo.while(%iterArg = %arg0, %iterArg_19 = %c_6, %iterArg_20 = %24, %iterArg_21 = %25) : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    cond {
      %c_22 = stablehlo.constant dense<4> : tensor<i32>
      %98 = stablehlo.compare LT, %iterArg_19, %c_22, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %98 : tensor<i1>
    } do {
      %98 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_19) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %99:2 = func.call @closed_call_0(%iterArg_20, %98) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %100 = func.call @dynamic_update_index_in_dim_1(%iterArg_21, %99#1, %iterArg_19) : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4x4xf32>
      %c_22 = stablehlo.constant dense<1> : tensor<i32>
      %101 = stablehlo.add %iterArg_19, %c_22 : tensor<i32>
      stablehlo.return %iterArg, %101, %99#0, %100 : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    }
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27:2 = stablehlo.optimization_barrier %arg0, %cst_7 : tensor<4x4xf32>, tensor<f32>
    %28 = stablehlo.transpose %27#0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %29 = stablehlo.dot_general %28, %27#0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %30 = stablehlo.dot_general %27#0, %29, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %31 = stablehlo.tanh %30 : tensor<4x4xf32>
    %32 = stablehlo.dot_general %31, %29, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %33 = stablehlo.tanh %32 : tensor<4x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %35 = stablehlo.exponential %34 : tensor<f32>
    %36 = stablehlo.multiply %27#1, %35 : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %38:3 = stablehlo.optimization_barrier %27#0, %29, %37 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    %39 = stablehlo.dot_general %38#0, %38#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %40 = stablehlo.tanh %39 : tensor<4x4xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %42 = stablehlo.subtract %41, %40 : tensor<4x4xf32>
    %43 = stablehlo.dot_general %40, %38#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %44 = stablehlo.tanh %43 : tensor<4x4xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %46 = stablehlo.subtract %45, %44 : tensor<4x4xf32>
    %47 = stablehlo.multiply %38#2, %46 : tensor<4x4xf32>
    %48 = stablehlo.multiply %47, %44 : tensor<4x4xf32>
    %49 = stablehlo.add %47, %48 : tensor<4x4xf32>
    %50 = stablehlo.dot_general %49, %40, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %51 = stablehlo.transpose %50, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %52 = stablehlo.dot_general %49, %38#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %53 = stablehlo.multiply %52, %42 : tensor<4x4xf32>
    %54 = stablehlo.multiply %53, %40 : tensor<4x4xf32>
    %55 = stablehlo.add %53, %54 : tensor<4x4xf32>
    %56 = stablehlo.dot_general %55, %38#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %57 = stablehlo.transpose %56, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %58 = stablehlo.add %51, %57 : tensor<4x4xf32>
    %59 = stablehlo.dot_general %55, %38#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %60 = stablehlo.dot_general %58, %28, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %61 = stablehlo.transpose %60, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %62 = stablehlo.add %59, %61 : tensor<4x4xf32>
    %63 = stablehlo.dot_general %58, %27#0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %64 = stablehlo.transpose %63, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %65 = stablehlo.add %62, %64 : tensor<4x4xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %69:6 = stablehlo.while(%iterArg = %66, %iterArg_19 = %26#3, %iterArg_20 = %arg0, %iterArg_21 = %c_14, %iterArg_22 = %67, %iterArg_23 = %68) : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    cond {
      %c_24 = stablehlo.constant dense<4> : tensor<i32>
      %98 = stablehlo.compare LT, %iterArg_21, %c_24, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %98 : tensor<i1>
    } do {
      %c_24 = stablehlo.constant dense<4> : tensor<i32>
      %98 = stablehlo.subtract %c_24, %iterArg_21 : tensor<i32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %99 = stablehlo.subtract %98, %c_25 : tensor<i32>
      %100 = func.call @dynamic_index_in_dim_2(%iterArg, %99) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
      %101 = func.call @dynamic_index_in_dim(%iterArg_19, %99) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %102 = func.call @dynamic_index_in_dim(%iterArg_20, %99) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %103:2 = func.call @closed_call_3(%iterArg_22, %100, %101, %102) : (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %104 = func.call @dynamic_update_index_in_dim_1(%iterArg_23, %103#1, %99) : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4x4xf32>
      %c_26 = stablehlo.constant dense<1> : tensor<i32>
      %105 = stablehlo.add %iterArg_21, %c_26 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %105, %103#0, %104 : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    }
    %70 = stablehlo.add %65, %69#5 : tensor<4x4xf32>
    %71 = stablehlo.broadcast_in_dim %69#4, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.pad %71, %cst_15, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %74:3 = stablehlo.optimization_barrier %arg0, %arg1, %73 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    %75 = stablehlo.dot_general %74#0, %74#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %76 = stablehlo.tanh %75 : tensor<4x4xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %78 = stablehlo.subtract %77, %76 : tensor<4x4xf32>
    %79 = stablehlo.dot_general %76, %74#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %80 = stablehlo.tanh %79 : tensor<4x4xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %82 = stablehlo.subtract %81, %80 : tensor<4x4xf32>
    %83 = stablehlo.multiply %74#2, %82 : tensor<4x4xf32>
    %84 = stablehlo.multiply %83, %80 : tensor<4x4xf32>
    %85 = stablehlo.add %83, %84 : tensor<4x4xf32>
    %86 = stablehlo.dot_general %85, %76, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %87 = stablehlo.transpose %86, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %88 = stablehlo.dot_general %85, %74#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %89 = stablehlo.multiply %88, %78 : tensor<4x4xf32>
    %90 = stablehlo.multiply %89, %76 : tensor<4x4xf32>
    %91 = stablehlo.add %89, %90 : tensor<4x4xf32>
    %92 = stablehlo.dot_general %91, %74#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %93 = stablehlo.transpose %92, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %94 = stablehlo.add %87, %93 : tensor<4x4xf32>
    %95 = stablehlo.dot_general %91, %74#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %96 = stablehlo.add %70, %95 : tensor<4x4xf32>
    %97 = stablehlo.add %72, %94 : tensor<4x4xf32>
    return %22, %96, %97 : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 4] : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<4xf32>
    %1 = stablehlo.sine %0 : tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<4xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<4xf32>
    %1 = stablehlo.sine %0 : tensor<4xf32>
    return %1, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> tensor<4x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<4x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @closed_call_3(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:4 = stablehlo.optimization_barrier %arg2, %arg3, %arg0, %arg1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
    %1 = stablehlo.multiply %0#0, %0#1 : tensor<4xf32>
    %2 = stablehlo.cosine %1 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %0#3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.multiply %0#2, %2 : tensor<4xf32>
    %5 = stablehlo.multiply %0#0, %4 : tensor<4xf32>
    %6 = stablehlo.multiply %4, %0#1 : tensor<4xf32>
    %7 = stablehlo.add %3, %6 : tensor<4xf32>
    return %7, %5 : tensor<4xf32>, tensor<4xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xB1E9ADBFAC2AD13FB9C9D53D740C9BBFCFBCDABFE30490BEBEA7B7BDFDE137BF2DA6BC3D182424BF7A390D3F937B39BF69B21DBD34957A3F3996244074FA80BF"> : tensor<4x4xf32>
    %a1 = stablehlo.constant dense<"0xF6D3EDBE79FF56BFBEC9483FEBF492BFA6FDF7BE647EF2BCAD8A7ABF411375BFD884F3BE9D6D06C06E05B9BF3479D3BEC6C9173EDE373EBE6811E3BF6675EDBE"> : tensor<4x4xf32>
    %r:3 = call @main(%a0, %a1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>)
    %e0 = stablehlo.constant dense<"0x900437C0"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e1 = stablehlo.constant dense<"0xE36D7F3F61821440238B8F40B7B51440A0A376BC7F2F753FFDEEAB3F4D04E63FF06A073FC6F405408AF72A404C164D3F0BB49CBD86992ABEB2AE6B3BF9F7CF3E"> : tensor<4x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e2 = stablehlo.constant dense<"0xECDF214036910E40FA6A6640B378BC3FDC7730BF9AF7C8BEC188ACBFFD3770BFB4C148BF789CB2BE3870BDBE009698BDF62D7F40DCC2C33FA52A214035210D40"> : tensor<4x4xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    return
  }
}
