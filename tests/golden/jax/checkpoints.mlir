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
    %8:4 = stablehlo.while(%iterArg = %arg0, %iterArg_22 = %c, %iterArg_23 = %6, %iterArg_24 = %7) : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %c_25 = stablehlo.constant dense<4> : tensor<i32>
      %104 = stablehlo.compare LT, %iterArg_22, %c_25, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %104 : tensor<i1>
    } do {
      %104 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_22) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %105:2 = func.call @closed_call(%iterArg_23, %104) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
      %106 = func.call @dynamic_update_index_in_dim(%iterArg_24, %105#1, %iterArg_22) : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %107 = stablehlo.add %iterArg_22, %c_25 : tensor<i32>
      stablehlo.return %iterArg, %107, %105#0, %106 : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>
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
    %cst_4 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %17 = stablehlo.divide %15, %16 : tensor<4x4xf32>
    %18 = stablehlo.dot_general %arg0, %17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %19 = stablehlo.tanh %18 : tensor<4x4xf32>
    %20 = stablehlo.dot_general %19, %17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %21 = stablehlo.tanh %20 : tensor<4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %23 = stablehlo.exponential %22 : tensor<f32>
    %24 = stablehlo.add %13, %23 : tensor<f32>
    %25 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x4xf32>) -> tensor<4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %28:4 = stablehlo.while(%iterArg = %arg0, %iterArg_22 = %c_7, %iterArg_23 = %26, %iterArg_24 = %27) : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    cond {
      %c_25 = stablehlo.constant dense<4> : tensor<i32>
      %104 = stablehlo.compare LT, %iterArg_22, %c_25, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %104 : tensor<i1>
    } do {
      %104 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_22) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %105:2 = func.call @closed_call_0(%iterArg_23, %104) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %106 = func.call @dynamic_update_index_in_dim_1(%iterArg_24, %105#1, %iterArg_22) : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4x4xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %107 = stablehlo.add %iterArg_22, %c_25 : tensor<i32>
      stablehlo.return %iterArg, %107, %105#0, %106 : tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    }
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29:2 = stablehlo.optimization_barrier %arg0, %cst_8 : tensor<4x4xf32>, tensor<f32>
    %30 = stablehlo.transpose %29#0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %31 = stablehlo.dot_general %30, %29#0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %cst_9 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %33 = stablehlo.divide %31, %32 : tensor<4x4xf32>
    %34 = stablehlo.dot_general %29#0, %33, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %35 = stablehlo.tanh %34 : tensor<4x4xf32>
    %36 = stablehlo.dot_general %35, %33, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %37 = stablehlo.tanh %36 : tensor<4x4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %39 = stablehlo.exponential %38 : tensor<f32>
    %40 = stablehlo.multiply %29#1, %39 : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %42:3 = stablehlo.optimization_barrier %29#0, %33, %41 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    %43 = stablehlo.dot_general %42#0, %42#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %44 = stablehlo.tanh %43 : tensor<4x4xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %46 = stablehlo.subtract %45, %44 : tensor<4x4xf32>
    %47 = stablehlo.dot_general %44, %42#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %48 = stablehlo.tanh %47 : tensor<4x4xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %50 = stablehlo.subtract %49, %48 : tensor<4x4xf32>
    %51 = stablehlo.multiply %42#2, %50 : tensor<4x4xf32>
    %52 = stablehlo.multiply %51, %48 : tensor<4x4xf32>
    %53 = stablehlo.add %51, %52 : tensor<4x4xf32>
    %54 = stablehlo.dot_general %53, %44, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %55 = stablehlo.transpose %54, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %56 = stablehlo.dot_general %53, %42#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %57 = stablehlo.multiply %56, %46 : tensor<4x4xf32>
    %58 = stablehlo.multiply %57, %44 : tensor<4x4xf32>
    %59 = stablehlo.add %57, %58 : tensor<4x4xf32>
    %60 = stablehlo.dot_general %59, %42#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %61 = stablehlo.transpose %60, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %62 = stablehlo.add %55, %61 : tensor<4x4xf32>
    %63 = stablehlo.dot_general %59, %42#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %cst_13 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %65 = stablehlo.divide %62, %64 : tensor<4x4xf32>
    %66 = stablehlo.dot_general %65, %30, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %67 = stablehlo.transpose %66, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %68 = stablehlo.add %63, %67 : tensor<4x4xf32>
    %69 = stablehlo.dot_general %65, %29#0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %70 = stablehlo.transpose %69, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %71 = stablehlo.add %68, %70 : tensor<4x4xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %75:6 = stablehlo.while(%iterArg = %72, %iterArg_22 = %28#3, %iterArg_23 = %arg0, %iterArg_24 = %c_17, %iterArg_25 = %73, %iterArg_26 = %74) : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    cond {
      %c_27 = stablehlo.constant dense<4> : tensor<i32>
      %104 = stablehlo.compare LT, %iterArg_24, %c_27, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %104 : tensor<i1>
    } do {
      %c_27 = stablehlo.constant dense<4> : tensor<i32>
      %104 = stablehlo.subtract %c_27, %iterArg_24 : tensor<i32>
      %c_28 = stablehlo.constant dense<1> : tensor<i32>
      %105 = stablehlo.subtract %104, %c_28 : tensor<i32>
      %106 = func.call @dynamic_index_in_dim_2(%iterArg, %105) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
      %107 = func.call @dynamic_index_in_dim(%iterArg_22, %105) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %108 = func.call @dynamic_index_in_dim(%iterArg_23, %105) : (tensor<4x4xf32>, tensor<i32>) -> tensor<4xf32>
      %109:2 = func.call @closed_call_3(%iterArg_25, %106, %107, %108) : (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %110 = func.call @dynamic_update_index_in_dim_1(%iterArg_26, %109#1, %105) : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4x4xf32>
      %c_29 = stablehlo.constant dense<1> : tensor<i32>
      %111 = stablehlo.add %iterArg_24, %c_29 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_22, %iterArg_23, %111, %109#0, %110 : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>
    }
    %76 = stablehlo.add %71, %75#5 : tensor<4x4xf32>
    %77 = stablehlo.broadcast_in_dim %75#4, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.pad %77, %cst_18, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %80:3 = stablehlo.optimization_barrier %arg0, %arg1, %79 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    %81 = stablehlo.dot_general %80#0, %80#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %82 = stablehlo.tanh %81 : tensor<4x4xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %84 = stablehlo.subtract %83, %82 : tensor<4x4xf32>
    %85 = stablehlo.dot_general %82, %80#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %86 = stablehlo.tanh %85 : tensor<4x4xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %88 = stablehlo.subtract %87, %86 : tensor<4x4xf32>
    %89 = stablehlo.multiply %80#2, %88 : tensor<4x4xf32>
    %90 = stablehlo.multiply %89, %86 : tensor<4x4xf32>
    %91 = stablehlo.add %89, %90 : tensor<4x4xf32>
    %92 = stablehlo.dot_general %91, %82, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %93 = stablehlo.transpose %92, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %94 = stablehlo.dot_general %91, %80#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %95 = stablehlo.multiply %94, %84 : tensor<4x4xf32>
    %96 = stablehlo.multiply %95, %82 : tensor<4x4xf32>
    %97 = stablehlo.add %95, %96 : tensor<4x4xf32>
    %98 = stablehlo.dot_general %97, %80#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %99 = stablehlo.transpose %98, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %100 = stablehlo.add %93, %99 : tensor<4x4xf32>
    %101 = stablehlo.dot_general %97, %80#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %102 = stablehlo.add %76, %101 : tensor<4x4xf32>
    %103 = stablehlo.add %78, %100 : tensor<4x4xf32>
    return %24, %102, %103 : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>
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
    %e0 = stablehlo.constant dense<"0x61A62BC0"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e1 = stablehlo.constant dense<"0x1F78024094DE4040C528A6406A5A4B40CC06893FA0D5AF3FAC67F93FB6162A401E3CA23F505E0F4067794B40D3D38C3F7EBD0C3FAA454C3FF721983F89F5F13E"> : tensor<4x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e2 = stablehlo.constant dense<"0xECDF214036910E40FA6A6640B378BC3FDC7730BF9AF7C8BEC188ACBFFD3770BFB4C148BF789CB2BE3870BDBE009698BDF62D7F40DCC2C33FA52A214035210D40"> : tensor<4x4xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0xB1E9ADBFAC2AD13FB9C9D53D740C9BBFCFBCDABFE30490BEBEA7B7BDFDE137BF2DA6BC3D182424BF7A390D3F937B39BF69B21DBD34957A3F3996244074FA80BF"> : tensor<4x4xf32>
    %a1 = stablehlo.constant dense<"0xF6D3EDBE79FF56BFBEC9483FEBF492BFA6FDF7BE647EF2BCAD8A7ABF411375BFD884F3BE9D6D06C06E05B9BF3479D3BEC6C9173EDE373EBE6811E3BF6675EDBE"> : tensor<4x4xf32>
    %a2 = stablehlo.constant dense<"0xB70D0C3D"> : tensor<f32>
    %a3 = stablehlo.constant dense<"0x350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533F"> : tensor<4x4xf32>
    %a4 = stablehlo.constant dense<"0xFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBF"> : tensor<4x4xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %e0 = stablehlo.constant dense<"0x4232244170E42D417A5D6A418D73E6406C1C32C0F5823B4025641D412DB930415245A83C7935EA404F905D41CFFAD940B139DA3F38A0E93FD001673F885F043D"> : tensor<4x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.9e-04 : tensor<4x4xf32>, tensor<4x4xf32>
    %e1 = stablehlo.constant dense<"0x691F88C027DB71408CEDEF40B639C740FB3027407D09ABC064E40A40C6AF27C12954EFBF5217D53EBAF720C0A97042C048C08BC06470B440009EEC403078E740"> : tensor<4x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.1e-04 : tensor<4x4xf32>, tensor<4x4xf32>
    return
  }
}
