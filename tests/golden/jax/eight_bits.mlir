module @jit_eight_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xi32>) -> (tensor<10x4x6xf32> {jax.result_info = "result[0]"}, tensor<4x6xi32> {jax.result_info = "result[1]"}, tensor<4x4xf32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}, tensor<10x4x6xf32> {jax.result_info = "result[4]"}, tensor<4x6xi32> {jax.result_info = "result[5]"}, tensor<4x4xf32> {jax.result_info = "result[6]"}, tensor<f32> {jax.result_info = "result[7]"}, tensor<10x4x6xf32> {jax.result_info = "result[8]"}, tensor<4x6xi32> {jax.result_info = "result[9]"}, tensor<4x4xf32> {jax.result_info = "result[10]"}, tensor<f32> {jax.result_info = "result[11]"}, tensor<10x4x6xf32> {jax.result_info = "result[12]"}, tensor<4x6xi32> {jax.result_info = "result[13]"}, tensor<4x4xf32> {jax.result_info = "result[14]"}, tensor<f32> {jax.result_info = "result[15]"}, tensor<10x4x6xf32> {jax.result_info = "result[16]"}, tensor<4x6xi32> {jax.result_info = "result[17]"}, tensor<4x4xf32> {jax.result_info = "result[18]"}, tensor<f32> {jax.result_info = "result[19]"}, tensor<10x4x6xf32> {jax.result_info = "result[20]"}, tensor<4x6xi32> {jax.result_info = "result[21]"}, tensor<4x4xf32> {jax.result_info = "result[22]"}, tensor<f32> {jax.result_info = "result[23]"}, tensor<10x4x6xf32> {jax.result_info = "result[24]"}, tensor<4x6xi32> {jax.result_info = "result[25]"}, tensor<4x4xf32> {jax.result_info = "result[26]"}, tensor<f32> {jax.result_info = "result[27]"}, tensor<4x6xf32> {jax.result_info = "result[28]"}, tensor<4x6xf32> {jax.result_info = "result[29]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3FN>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %2 = stablehlo.convert %1 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3FN>
    %3 = stablehlo.add %0, %2 : tensor<4x6xf8E4M3FN>
    %4 = stablehlo.multiply %0, %2 : tensor<4x6xf8E4M3FN>
    %5 = stablehlo.divide %0, %2 : tensor<4x6xf8E4M3FN>
    %6 = stablehlo.negate %0 : tensor<4x6xf8E4M3FN>
    %7 = stablehlo.maximum %0, %2 : tensor<4x6xf8E4M3FN>
    %8 = stablehlo.compare LT, %0, %2, FLOAT : (tensor<4x6xf8E4M3FN>, tensor<4x6xf8E4M3FN>) -> tensor<4x6xi1>
    %9 = call @_where(%8, %0, %2) : (tensor<4x6xi1>, tensor<4x6xf8E4M3FN>, tensor<4x6xf8E4M3FN>) -> tensor<4x6xf8E4M3FN>
    %10 = stablehlo.reverse %0, dims = [1] : tensor<4x6xf8E4M3FN>
    %11 = stablehlo.convert %arg1 : (tensor<4x6xi32>) -> tensor<4x6xf8E4M3FN>
    %12 = stablehlo.abs %0 : tensor<4x6xf8E4M3FN>
    %13 = stablehlo.sqrt %12 : tensor<4x6xf8E4M3FN>
    %14 = stablehlo.convert %0 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %15 = stablehlo.convert %3 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %16 = stablehlo.convert %4 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %17 = stablehlo.convert %5 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %18 = stablehlo.convert %6 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %19 = stablehlo.convert %7 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %20 = stablehlo.convert %9 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %21 = stablehlo.convert %10 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %22 = stablehlo.convert %11 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %23 = stablehlo.convert %13 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %24 = stablehlo.broadcast_in_dim %14, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %25 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %26 = stablehlo.broadcast_in_dim %16, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %27 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %28 = stablehlo.broadcast_in_dim %18, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %29 = stablehlo.broadcast_in_dim %19, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %30 = stablehlo.broadcast_in_dim %20, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %31 = stablehlo.broadcast_in_dim %21, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %32 = stablehlo.broadcast_in_dim %22, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %33 = stablehlo.broadcast_in_dim %23, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %34 = stablehlo.concatenate %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, dim = 0 : (tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<10x4x6xf32>
    %35 = stablehlo.bitcast_convert %0 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xui8>
    %36 = stablehlo.convert %35 : (tensor<4x6xui8>) -> tensor<4x6xi32>
    %37 = stablehlo.transpose %2, dims = [1, 0] : (tensor<4x6xf8E4M3FN>) -> tensor<6x4xf8E4M3FN>
    %38 = stablehlo.dot_general %0, %37, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf8E4M3FN>, tensor<6x4xf8E4M3FN>) -> tensor<4x4xf32>
    %cst = stablehlo.constant dense<-4.480000e+02> : tensor<f8E4M3FN>
    %39 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
    %40 = stablehlo.convert %39 : (tensor<f8E4M3FN>) -> tensor<f32>
    %41 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E5M2>
    %42 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %43 = stablehlo.convert %42 : (tensor<4x6xf32>) -> tensor<4x6xf8E5M2>
    %44 = stablehlo.add %41, %43 : tensor<4x6xf8E5M2>
    %45 = stablehlo.multiply %41, %43 : tensor<4x6xf8E5M2>
    %46 = stablehlo.divide %41, %43 : tensor<4x6xf8E5M2>
    %47 = stablehlo.negate %41 : tensor<4x6xf8E5M2>
    %48 = stablehlo.maximum %41, %43 : tensor<4x6xf8E5M2>
    %49 = stablehlo.compare LT, %41, %43, FLOAT : (tensor<4x6xf8E5M2>, tensor<4x6xf8E5M2>) -> tensor<4x6xi1>
    %50 = call @_where_0(%49, %41, %43) : (tensor<4x6xi1>, tensor<4x6xf8E5M2>, tensor<4x6xf8E5M2>) -> tensor<4x6xf8E5M2>
    %51 = stablehlo.reverse %41, dims = [1] : tensor<4x6xf8E5M2>
    %52 = stablehlo.convert %arg1 : (tensor<4x6xi32>) -> tensor<4x6xf8E5M2>
    %53 = stablehlo.abs %41 : tensor<4x6xf8E5M2>
    %54 = stablehlo.sqrt %53 : tensor<4x6xf8E5M2>
    %55 = stablehlo.convert %41 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %56 = stablehlo.convert %44 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %57 = stablehlo.convert %45 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %58 = stablehlo.convert %46 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %59 = stablehlo.convert %47 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %60 = stablehlo.convert %48 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %61 = stablehlo.convert %50 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %62 = stablehlo.convert %51 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %63 = stablehlo.convert %52 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %64 = stablehlo.convert %54 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %65 = stablehlo.broadcast_in_dim %55, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %66 = stablehlo.broadcast_in_dim %56, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %67 = stablehlo.broadcast_in_dim %57, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %68 = stablehlo.broadcast_in_dim %58, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %69 = stablehlo.broadcast_in_dim %59, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %70 = stablehlo.broadcast_in_dim %60, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %71 = stablehlo.broadcast_in_dim %61, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %72 = stablehlo.broadcast_in_dim %62, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %73 = stablehlo.broadcast_in_dim %63, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %74 = stablehlo.broadcast_in_dim %64, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %75 = stablehlo.concatenate %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, dim = 0 : (tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<10x4x6xf32>
    %76 = stablehlo.bitcast_convert %41 : (tensor<4x6xf8E5M2>) -> tensor<4x6xui8>
    %77 = stablehlo.convert %76 : (tensor<4x6xui8>) -> tensor<4x6xi32>
    %78 = stablehlo.transpose %43, dims = [1, 0] : (tensor<4x6xf8E5M2>) -> tensor<6x4xf8E5M2>
    %79 = stablehlo.dot_general %41, %78, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf8E5M2>, tensor<6x4xf8E5M2>) -> tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<0xFC> : tensor<f8E5M2>
    %80 = stablehlo.reduce(%41 init: %cst_0) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
    %81 = stablehlo.convert %80 : (tensor<f8E5M2>) -> tensor<f32>
    %82 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3>
    %83 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %84 = stablehlo.convert %83 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3>
    %85 = stablehlo.add %82, %84 : tensor<4x6xf8E4M3>
    %86 = stablehlo.multiply %82, %84 : tensor<4x6xf8E4M3>
    %87 = stablehlo.divide %82, %84 : tensor<4x6xf8E4M3>
    %88 = stablehlo.negate %82 : tensor<4x6xf8E4M3>
    %89 = stablehlo.maximum %82, %84 : tensor<4x6xf8E4M3>
    %90 = stablehlo.compare LT, %82, %84, FLOAT : (tensor<4x6xf8E4M3>, tensor<4x6xf8E4M3>) -> tensor<4x6xi1>
    %91 = call @_where_1(%90, %82, %84) : (tensor<4x6xi1>, tensor<4x6xf8E4M3>, tensor<4x6xf8E4M3>) -> tensor<4x6xf8E4M3>
    %92 = stablehlo.reverse %82, dims = [1] : tensor<4x6xf8E4M3>
    %93 = stablehlo.convert %arg1 : (tensor<4x6xi32>) -> tensor<4x6xf8E4M3>
    %94 = stablehlo.abs %82 : tensor<4x6xf8E4M3>
    %95 = stablehlo.sqrt %94 : tensor<4x6xf8E4M3>
    %96 = stablehlo.convert %82 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %97 = stablehlo.convert %85 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %98 = stablehlo.convert %86 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %99 = stablehlo.convert %87 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %100 = stablehlo.convert %88 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %101 = stablehlo.convert %89 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %102 = stablehlo.convert %91 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %103 = stablehlo.convert %92 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %104 = stablehlo.convert %93 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %105 = stablehlo.convert %95 : (tensor<4x6xf8E4M3>) -> tensor<4x6xf32>
    %106 = stablehlo.broadcast_in_dim %96, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %107 = stablehlo.broadcast_in_dim %97, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %108 = stablehlo.broadcast_in_dim %98, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %109 = stablehlo.broadcast_in_dim %99, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %110 = stablehlo.broadcast_in_dim %100, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %111 = stablehlo.broadcast_in_dim %101, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %112 = stablehlo.broadcast_in_dim %102, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %113 = stablehlo.broadcast_in_dim %103, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %114 = stablehlo.broadcast_in_dim %104, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %115 = stablehlo.broadcast_in_dim %105, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %116 = stablehlo.concatenate %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, dim = 0 : (tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<10x4x6xf32>
    %117 = stablehlo.bitcast_convert %82 : (tensor<4x6xf8E4M3>) -> tensor<4x6xui8>
    %118 = stablehlo.convert %117 : (tensor<4x6xui8>) -> tensor<4x6xi32>
    %119 = stablehlo.transpose %84, dims = [1, 0] : (tensor<4x6xf8E4M3>) -> tensor<6x4xf8E4M3>
    %120 = stablehlo.dot_general %82, %119, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf8E4M3>, tensor<6x4xf8E4M3>) -> tensor<4x4xf32>
    %cst_1 = stablehlo.constant dense<0xF8> : tensor<f8E4M3>
    %121 = stablehlo.reduce(%82 init: %cst_1) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf8E4M3>, tensor<f8E4M3>) -> tensor<f8E4M3>
    %122 = stablehlo.convert %121 : (tensor<f8E4M3>) -> tensor<f32>
    %123 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E3M4>
    %124 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %125 = stablehlo.convert %124 : (tensor<4x6xf32>) -> tensor<4x6xf8E3M4>
    %126 = stablehlo.add %123, %125 : tensor<4x6xf8E3M4>
    %127 = stablehlo.multiply %123, %125 : tensor<4x6xf8E3M4>
    %128 = stablehlo.divide %123, %125 : tensor<4x6xf8E3M4>
    %129 = stablehlo.negate %123 : tensor<4x6xf8E3M4>
    %130 = stablehlo.maximum %123, %125 : tensor<4x6xf8E3M4>
    %131 = stablehlo.compare LT, %123, %125, FLOAT : (tensor<4x6xf8E3M4>, tensor<4x6xf8E3M4>) -> tensor<4x6xi1>
    %132 = call @_where_2(%131, %123, %125) : (tensor<4x6xi1>, tensor<4x6xf8E3M4>, tensor<4x6xf8E3M4>) -> tensor<4x6xf8E3M4>
    %133 = stablehlo.reverse %123, dims = [1] : tensor<4x6xf8E3M4>
    %134 = stablehlo.convert %arg1 : (tensor<4x6xi32>) -> tensor<4x6xf8E3M4>
    %135 = stablehlo.abs %123 : tensor<4x6xf8E3M4>
    %136 = stablehlo.sqrt %135 : tensor<4x6xf8E3M4>
    %137 = stablehlo.convert %123 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %138 = stablehlo.convert %126 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %139 = stablehlo.convert %127 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %140 = stablehlo.convert %128 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %141 = stablehlo.convert %129 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %142 = stablehlo.convert %130 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %143 = stablehlo.convert %132 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %144 = stablehlo.convert %133 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %145 = stablehlo.convert %134 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %146 = stablehlo.convert %136 : (tensor<4x6xf8E3M4>) -> tensor<4x6xf32>
    %147 = stablehlo.broadcast_in_dim %137, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %148 = stablehlo.broadcast_in_dim %138, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %149 = stablehlo.broadcast_in_dim %139, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %150 = stablehlo.broadcast_in_dim %140, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %151 = stablehlo.broadcast_in_dim %141, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %152 = stablehlo.broadcast_in_dim %142, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %153 = stablehlo.broadcast_in_dim %143, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %154 = stablehlo.broadcast_in_dim %144, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %155 = stablehlo.broadcast_in_dim %145, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %156 = stablehlo.broadcast_in_dim %146, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %157 = stablehlo.concatenate %147, %148, %149, %150, %151, %152, %153, %154, %155, %156, dim = 0 : (tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<10x4x6xf32>
    %158 = stablehlo.bitcast_convert %123 : (tensor<4x6xf8E3M4>) -> tensor<4x6xui8>
    %159 = stablehlo.convert %158 : (tensor<4x6xui8>) -> tensor<4x6xi32>
    %160 = stablehlo.transpose %125, dims = [1, 0] : (tensor<4x6xf8E3M4>) -> tensor<6x4xf8E3M4>
    %161 = stablehlo.dot_general %123, %160, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf8E3M4>, tensor<6x4xf8E3M4>) -> tensor<4x4xf32>
    %cst_2 = stablehlo.constant dense<0xF0> : tensor<f8E3M4>
    %162 = stablehlo.reduce(%123 init: %cst_2) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf8E3M4>, tensor<f8E3M4>) -> tensor<f8E3M4>
    %163 = stablehlo.convert %162 : (tensor<f8E3M4>) -> tensor<f32>
    %164 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3FNUZ>
    %165 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %166 = stablehlo.convert %165 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3FNUZ>
    %167 = stablehlo.add %164, %166 : tensor<4x6xf8E4M3FNUZ>
    %168 = stablehlo.multiply %164, %166 : tensor<4x6xf8E4M3FNUZ>
    %169 = stablehlo.divide %164, %166 : tensor<4x6xf8E4M3FNUZ>
    %170 = stablehlo.negate %164 : tensor<4x6xf8E4M3FNUZ>
    %171 = stablehlo.maximum %164, %166 : tensor<4x6xf8E4M3FNUZ>
    %172 = stablehlo.compare LT, %164, %166, FLOAT : (tensor<4x6xf8E4M3FNUZ>, tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xi1>
    %173 = call @_where_3(%172, %164, %166) : (tensor<4x6xi1>, tensor<4x6xf8E4M3FNUZ>, tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf8E4M3FNUZ>
    %174 = stablehlo.reverse %164, dims = [1] : tensor<4x6xf8E4M3FNUZ>
    %175 = stablehlo.convert %arg1 : (tensor<4x6xi32>) -> tensor<4x6xf8E4M3FNUZ>
    %176 = stablehlo.abs %164 : tensor<4x6xf8E4M3FNUZ>
    %177 = stablehlo.sqrt %176 : tensor<4x6xf8E4M3FNUZ>
    %178 = stablehlo.convert %164 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %179 = stablehlo.convert %167 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %180 = stablehlo.convert %168 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %181 = stablehlo.convert %169 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %182 = stablehlo.convert %170 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %183 = stablehlo.convert %171 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %184 = stablehlo.convert %173 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %185 = stablehlo.convert %174 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %186 = stablehlo.convert %175 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %187 = stablehlo.convert %177 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf32>
    %188 = stablehlo.broadcast_in_dim %178, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %189 = stablehlo.broadcast_in_dim %179, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %190 = stablehlo.broadcast_in_dim %180, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %191 = stablehlo.broadcast_in_dim %181, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %192 = stablehlo.broadcast_in_dim %182, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %193 = stablehlo.broadcast_in_dim %183, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %194 = stablehlo.broadcast_in_dim %184, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %195 = stablehlo.broadcast_in_dim %185, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %196 = stablehlo.broadcast_in_dim %186, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %197 = stablehlo.broadcast_in_dim %187, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %198 = stablehlo.concatenate %188, %189, %190, %191, %192, %193, %194, %195, %196, %197, dim = 0 : (tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<10x4x6xf32>
    %199 = stablehlo.bitcast_convert %164 : (tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xui8>
    %200 = stablehlo.convert %199 : (tensor<4x6xui8>) -> tensor<4x6xi32>
    %201 = stablehlo.transpose %166, dims = [1, 0] : (tensor<4x6xf8E4M3FNUZ>) -> tensor<6x4xf8E4M3FNUZ>
    %202 = stablehlo.dot_general %164, %201, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf8E4M3FNUZ>, tensor<6x4xf8E4M3FNUZ>) -> tensor<4x4xf32>
    %cst_3 = stablehlo.constant dense<-2.400000e+02> : tensor<f8E4M3FNUZ>
    %203 = stablehlo.reduce(%164 init: %cst_3) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf8E4M3FNUZ>, tensor<f8E4M3FNUZ>) -> tensor<f8E4M3FNUZ>
    %204 = stablehlo.convert %203 : (tensor<f8E4M3FNUZ>) -> tensor<f32>
    %205 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E5M2FNUZ>
    %206 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %207 = stablehlo.convert %206 : (tensor<4x6xf32>) -> tensor<4x6xf8E5M2FNUZ>
    %208 = stablehlo.add %205, %207 : tensor<4x6xf8E5M2FNUZ>
    %209 = stablehlo.multiply %205, %207 : tensor<4x6xf8E5M2FNUZ>
    %210 = stablehlo.divide %205, %207 : tensor<4x6xf8E5M2FNUZ>
    %211 = stablehlo.negate %205 : tensor<4x6xf8E5M2FNUZ>
    %212 = stablehlo.maximum %205, %207 : tensor<4x6xf8E5M2FNUZ>
    %213 = stablehlo.compare LT, %205, %207, FLOAT : (tensor<4x6xf8E5M2FNUZ>, tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xi1>
    %214 = call @_where_4(%213, %205, %207) : (tensor<4x6xi1>, tensor<4x6xf8E5M2FNUZ>, tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf8E5M2FNUZ>
    %215 = stablehlo.reverse %205, dims = [1] : tensor<4x6xf8E5M2FNUZ>
    %216 = stablehlo.convert %arg1 : (tensor<4x6xi32>) -> tensor<4x6xf8E5M2FNUZ>
    %217 = stablehlo.abs %205 : tensor<4x6xf8E5M2FNUZ>
    %218 = stablehlo.sqrt %217 : tensor<4x6xf8E5M2FNUZ>
    %219 = stablehlo.convert %205 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %220 = stablehlo.convert %208 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %221 = stablehlo.convert %209 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %222 = stablehlo.convert %210 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %223 = stablehlo.convert %211 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %224 = stablehlo.convert %212 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %225 = stablehlo.convert %214 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %226 = stablehlo.convert %215 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %227 = stablehlo.convert %216 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %228 = stablehlo.convert %218 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf32>
    %229 = stablehlo.broadcast_in_dim %219, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %230 = stablehlo.broadcast_in_dim %220, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %231 = stablehlo.broadcast_in_dim %221, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %232 = stablehlo.broadcast_in_dim %222, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %233 = stablehlo.broadcast_in_dim %223, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %234 = stablehlo.broadcast_in_dim %224, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %235 = stablehlo.broadcast_in_dim %225, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %236 = stablehlo.broadcast_in_dim %226, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %237 = stablehlo.broadcast_in_dim %227, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %238 = stablehlo.broadcast_in_dim %228, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %239 = stablehlo.concatenate %229, %230, %231, %232, %233, %234, %235, %236, %237, %238, dim = 0 : (tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<10x4x6xf32>
    %240 = stablehlo.bitcast_convert %205 : (tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xui8>
    %241 = stablehlo.convert %240 : (tensor<4x6xui8>) -> tensor<4x6xi32>
    %242 = stablehlo.transpose %207, dims = [1, 0] : (tensor<4x6xf8E5M2FNUZ>) -> tensor<6x4xf8E5M2FNUZ>
    %243 = stablehlo.dot_general %205, %242, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf8E5M2FNUZ>, tensor<6x4xf8E5M2FNUZ>) -> tensor<4x4xf32>
    %cst_4 = stablehlo.constant dense<-5.734400e+04> : tensor<f8E5M2FNUZ>
    %244 = stablehlo.reduce(%205 init: %cst_4) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf8E5M2FNUZ>, tensor<f8E5M2FNUZ>) -> tensor<f8E5M2FNUZ>
    %245 = stablehlo.convert %244 : (tensor<f8E5M2FNUZ>) -> tensor<f32>
    %246 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3B11FNUZ>
    %247 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %248 = stablehlo.convert %247 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3B11FNUZ>
    %249 = stablehlo.add %246, %248 : tensor<4x6xf8E4M3B11FNUZ>
    %250 = stablehlo.multiply %246, %248 : tensor<4x6xf8E4M3B11FNUZ>
    %251 = stablehlo.divide %246, %248 : tensor<4x6xf8E4M3B11FNUZ>
    %252 = stablehlo.negate %246 : tensor<4x6xf8E4M3B11FNUZ>
    %253 = stablehlo.maximum %246, %248 : tensor<4x6xf8E4M3B11FNUZ>
    %254 = stablehlo.compare LT, %246, %248, FLOAT : (tensor<4x6xf8E4M3B11FNUZ>, tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xi1>
    %255 = call @_where_5(%254, %246, %248) : (tensor<4x6xi1>, tensor<4x6xf8E4M3B11FNUZ>, tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf8E4M3B11FNUZ>
    %256 = stablehlo.reverse %246, dims = [1] : tensor<4x6xf8E4M3B11FNUZ>
    %257 = stablehlo.convert %arg1 : (tensor<4x6xi32>) -> tensor<4x6xf8E4M3B11FNUZ>
    %258 = stablehlo.abs %246 : tensor<4x6xf8E4M3B11FNUZ>
    %259 = stablehlo.sqrt %258 : tensor<4x6xf8E4M3B11FNUZ>
    %260 = stablehlo.convert %246 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %261 = stablehlo.convert %249 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %262 = stablehlo.convert %250 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %263 = stablehlo.convert %251 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %264 = stablehlo.convert %252 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %265 = stablehlo.convert %253 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %266 = stablehlo.convert %255 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %267 = stablehlo.convert %256 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %268 = stablehlo.convert %257 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %269 = stablehlo.convert %259 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    %270 = stablehlo.broadcast_in_dim %260, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %271 = stablehlo.broadcast_in_dim %261, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %272 = stablehlo.broadcast_in_dim %262, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %273 = stablehlo.broadcast_in_dim %263, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %274 = stablehlo.broadcast_in_dim %264, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %275 = stablehlo.broadcast_in_dim %265, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %276 = stablehlo.broadcast_in_dim %266, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %277 = stablehlo.broadcast_in_dim %267, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %278 = stablehlo.broadcast_in_dim %268, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %279 = stablehlo.broadcast_in_dim %269, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %280 = stablehlo.concatenate %270, %271, %272, %273, %274, %275, %276, %277, %278, %279, dim = 0 : (tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<10x4x6xf32>
    %281 = stablehlo.bitcast_convert %246 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xui8>
    %282 = stablehlo.convert %281 : (tensor<4x6xui8>) -> tensor<4x6xi32>
    %283 = stablehlo.transpose %248, dims = [1, 0] : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<6x4xf8E4M3B11FNUZ>
    %284 = stablehlo.dot_general %246, %283, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf8E4M3B11FNUZ>, tensor<6x4xf8E4M3B11FNUZ>) -> tensor<4x4xf32>
    %cst_5 = stablehlo.constant dense<-3.000000e+01> : tensor<f8E4M3B11FNUZ>
    %285 = stablehlo.reduce(%246 init: %cst_5) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>) -> tensor<f8E4M3B11FNUZ>
    %286 = stablehlo.convert %285 : (tensor<f8E4M3B11FNUZ>) -> tensor<f32>
    %287 = stablehlo.abs %arg0 : tensor<4x6xf32>
    %288 = stablehlo.convert %287 : (tensor<4x6xf32>) -> tensor<4x6xf8E8M0FNU>
    %289 = stablehlo.convert %288 : (tensor<4x6xf8E8M0FNU>) -> tensor<4x6xf32>
    %290 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf4E2M1FN>
    %291 = stablehlo.convert %290 : (tensor<4x6xf4E2M1FN>) -> tensor<4x6xf32>
    return %34, %36, %38, %40, %75, %77, %79, %81, %116, %118, %120, %122, %157, %159, %161, %163, %198, %200, %202, %204, %239, %241, %243, %245, %280, %282, %284, %286, %289, %291 : tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @_where(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf8E4M3FN>, %arg2: tensor<4x6xf8E4M3FN>) -> tensor<4x6xf8E4M3FN> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf8E4M3FN>
    return %0 : tensor<4x6xf8E4M3FN>
  }
  func.func private @_where_0(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf8E5M2>, %arg2: tensor<4x6xf8E5M2>) -> tensor<4x6xf8E5M2> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf8E5M2>
    return %0 : tensor<4x6xf8E5M2>
  }
  func.func private @_where_1(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf8E4M3>, %arg2: tensor<4x6xf8E4M3>) -> tensor<4x6xf8E4M3> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf8E4M3>
    return %0 : tensor<4x6xf8E4M3>
  }
  func.func private @_where_2(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf8E3M4>, %arg2: tensor<4x6xf8E3M4>) -> tensor<4x6xf8E3M4> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf8E3M4>
    return %0 : tensor<4x6xf8E3M4>
  }
  func.func private @_where_3(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf8E4M3FNUZ>, %arg2: tensor<4x6xf8E4M3FNUZ>) -> tensor<4x6xf8E4M3FNUZ> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf8E4M3FNUZ>
    return %0 : tensor<4x6xf8E4M3FNUZ>
  }
  func.func private @_where_4(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf8E5M2FNUZ>, %arg2: tensor<4x6xf8E5M2FNUZ>) -> tensor<4x6xf8E5M2FNUZ> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf8E5M2FNUZ>
    return %0 : tensor<4x6xf8E5M2FNUZ>
  }
  func.func private @_where_5(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xf8E4M3B11FNUZ>, %arg2: tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf8E4M3B11FNUZ> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf8E4M3B11FNUZ>
    return %0 : tensor<4x6xf8E4M3B11FNUZ>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x261F46C074CC013F4FBC24BFDB029D3E3F658EC0CBD802C077B2B33FD9072B3FF940664027FE743E7986E140A36B09C0D22A473F6EF7B7C0009A70C0B6137F40A40435C07EC7CB3F94C23DBEAC8D48C04CBA85BF3A77C5BF0426BBBF5AB11040"> : tensor<4x6xf32>
    %a1 = stablehlo.constant dense<"0xE2FFFFFF21000000F4FFFFFF07000000F8FFFFFFF3FFFFFF1D000000F4FFFFFF260000000A000000F4FFFFFF1D000000EEFFFFFFF3FFFFFF1F000000E7FFFFFF1E000000D8FFFFFFD8FFFFFFE2FFFFFF090000001C0000001B00000009000000"> : tensor<4x6xi32>
    %r:30 = call @main(%a0, %a1) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<10x4x6xf32>, tensor<4x6xi32>, tensor<4x4xf32>, tensor<f32>, tensor<4x6xf32>, tensor<4x6xf32>)
    %e0 = stablehlo.constant dense<"0x000040C00000003F000020BF0000A03E000090C0000000C00000B03F0000303F000060400000703E0000E040000010C00000403F0000B0C0000070C000008040000030C00000D03F000040BE000050C0000080BF0000C0BF0000C0BF00001040000050C0000030C00000D0BF0000A0BF0000C0C00000803E000000400000A0C0000080BE0000804000008040000020BF000000400000A0C0000080BE0000804000008040000020BF000050C0000030C00000D0BF0000A0BF0000C0C00000803E0000103F0000D0BF0000203F0000F0BE0000E040000090C00000803F000070C0000050C10000703F0000A0C1000070C00000803F000070C0000050C10000703F0000A0C1000070C00000103F0000D0BF0000203F0000F0BE0000E040000090C000008041000020BE0000203F000050BE00004040000060BF0000F03F000000BE000070BF0000703D000020C00000B0BF0000103F000000C1000090BF000090410000D0BE000040BF0000803D0000D0C00000D03F0000A0C00000B03E000090BF00004040000000BF0000203F0000A0BE00009040000000400000B0BF000030BF000060C0000070BE0000E0C000001040000040BF0000B04000007040000080C0000030400000D0BF0000403E000050400000803F0000C03F0000C03F000010C0000040BE0000003F000020BF0000A03E0000C0BF000010400000B03F0000303F00006040000080400000E0400000D03F0000B03F0000303F00006040000080400000E0400000D03F000040BE0000003F000020BF0000A03E0000C0BF00001040000040C0000050C0000080BF0000C0BF000090C0000000C00000403F0000B0C0000070C00000703E000030C0000010C00000403F0000B0C0000070C00000703E000030C0000010C0000040C0000050C0000080BF0000C0BF000090C0000000C0000000C0000090C00000A03E000020BF0000003F000040C0000010C00000E0400000703E000060400000303F0000B03F0000D03F000030C000008040000070C00000B0C00000403F000010400000C0BF0000C0BF000080BF000050C0000040BE0000F0C100000042000040C10000E040000000C1000050C10000E041000040C10000204200002041000040C10000E041000090C1000050C1000000420000C0C10000F041000020C2000020C20000F0C1000010410000E0410000E041000010410000E03F0000303F0000503F0000103F000000400000B03F0000903F0000503F0000F03F0000F03E000030400000C03F0000603F000010400000F03F000000400000D03F0000A03F0000E03E0000E03F0000803F0000A03F0000A03F0000C03F"> : tensor<10x4x6xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<10x4x6xf32>, tensor<10x4x6xf32>
    %e1 = stablehlo.constant dense<"0xC400000030000000B20000002A000000C9000000C00000003B0000003300000046000000270000004E000000C100000034000000CB000000C700000048000000C30000003D000000A4000000C5000000B8000000BC000000BC00000041000000"> : tensor<4x6xi32>
    check.expect_eq %r#1, %e1 : tensor<4x6xi32>, tensor<4x6xi32>
    %e2 = stablehlo.constant dense<"0x0000AC3F0000F740009503C200F407420040AFC1006017C220768942009503C20020BA4100288E42006017C20000F7400048A9410020BA410040AFC10000AC3F"> : tensor<4x4xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e3 = stablehlo.constant dense<"0x0000E040"> : tensor<f32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e4 = stablehlo.constant dense<"0x000040C00000003F000020BF0000A03E000080C0000000C00000C03F0000203F000060400000803E0000E040000000C00000403F0000C0C0000080C000008040000040C00000C03F000040BE000040C0000080BF0000C0BF0000C0BF00002040000040C0000020C00000C0BF0000A0BF0000C0C00000003F000000400000A0C0000000BF0000804000008040000000BF000000400000A0C0000000BF0000804000008040000000BF000040C0000020C00000C0BF0000A0BF0000C0C00000003F0000003F0000C0BF0000203F000000BF0000C0400000A0C00000803F000080C0000060C10000803F0000A0C1000040C00000803F000080C0000060C10000803F0000A0C1000040C00000003F0000C0BF0000203F000000BF0000C0400000A0C000008041000020BE0000203F000060BE00002040000040BF000000400000E0BD000060BF0000803D000020C00000A0BF0000003F000020C10000A0BF000080410000E0BE000040BF0000803D0000C0C00000C03F0000A0C00000C03E0000A0BF00004040000000BF0000203F0000A0BE00008040000000400000C0BF000020BF000060C0000080BE0000E0C000000040000040BF0000C04000008040000080C0000040400000C0BF0000403E000040400000803F0000C03F0000C03F000020C0000040BE0000003F000020BF0000A03E0000C0BF000020400000C03F0000203F00006040000080400000E0400000C03F0000C03F0000203F00006040000080400000E0400000C03F000040BE0000003F000020BF0000A03E0000C0BF00002040000040C0000040C0000080BF0000C0BF000080C0000000C00000403F0000C0C0000080C00000803E000040C0000000C00000403F0000C0C0000080C00000803E000040C0000000C0000040C0000040C0000080BF0000C0BF000080C0000000C0000000C0000080C00000A03E000020BF0000003F000040C0000000C00000E0400000803E000060400000203F0000C03F0000C03F000040C000008040000080C00000C0C00000403F000020400000C0BF0000C0BF000080BF000040C0000040BE000000C200000042000040C10000E040000000C1000040C10000E041000040C10000204200002041000040C10000E041000080C1000040C1000000420000C0C100000042000020C2000020C2000000C2000000410000E0410000E041000000410000E03F0000403F0000403F0000003F000000400000C03F0000A03F0000403F0000E03F0000003F000020400000C03F0000603F0000204000000040000000400000E03F0000A03F0000E03E0000E03F0000803F0000A03F0000A03F0000C03F"> : tensor<10x4x6xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 2.0e-5 : tensor<10x4x6xf32>, tensor<10x4x6xf32>
    %e5 = stablehlo.constant dense<"0xC200000038000000B900000035000000C4000000C00000003E00000039000000430000003400000047000000C00000003A000000C6000000C400000044000000C20000003E000000B2000000C2000000BC000000BE000000BE00000041000000"> : tensor<4x6xi32>
    check.expect_eq %r#5, %e5 : tensor<4x6xi32>, tensor<4x6xi32>
    %e6 = stablehlo.constant dense<"0x0000603E0000F0400060F2C100E8ED410040ACC100801EC200E887420060F2C100E0C04100A09F4200801EC20000F0400048A64100E0C0410040ACC10000603E"> : tensor<4x4xf32>
    check.expect_almost_eq %r#6, %e6, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e7 = stablehlo.constant dense<"0x0000E040"> : tensor<f32>
    check.expect_almost_eq %r#7, %e7, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e8 = stablehlo.constant dense<"0x000040C00000003F000020BF0000A03E000090C0000000C00000B03F0000303F000060400000703E0000E040000010C00000403F0000B0C0000070C000008040000030C00000D03F000040BE000050C0000080BF0000C0BF0000C0BF00001040000050C0000030C00000D0BF0000A0BF0000C0C00000803E000000400000A0C0000080BE0000804000008040000020BF000000400000A0C0000080BE0000804000008040000020BF000050C0000030C00000D0BF0000A0BF0000C0C00000803E0000103F0000D0BF0000203F0000F0BE0000E040000090C00000803F000070C0000050C10000703F0000A0C1000070C00000803F000070C0000050C10000703F0000A0C1000070C00000103F0000D0BF0000203F0000F0BE0000E040000090C000008041000020BE0000203F000050BE00004040000060BF0000F03F000000BE000070BF0000703D000020C00000B0BF0000103F000000C1000090BF000090410000D0BE000040BF0000803D0000D0C00000D03F0000A0C00000B03E000090BF00004040000000BF0000203F0000A0BE00009040000000400000B0BF000030BF000060C0000070BE0000E0C000001040000040BF0000B04000007040000080C0000030400000D0BF0000403E000050400000803F0000C03F0000C03F000010C0000040BE0000003F000020BF0000A03E0000C0BF000010400000B03F0000303F00006040000080400000E0400000D03F0000B03F0000303F00006040000080400000E0400000D03F000040BE0000003F000020BF0000A03E0000C0BF00001040000040C0000050C0000080BF0000C0BF000090C0000000C00000403F0000B0C0000070C00000703E000030C0000010C00000403F0000B0C0000070C00000703E000030C0000010C0000040C0000050C0000080BF0000C0BF000090C0000000C0000000C0000090C00000A03E000020BF0000003F000040C0000010C00000E0400000703E000060400000303F0000B03F0000D03F000030C000008040000070C00000B0C00000403F000010400000C0BF0000C0BF000080BF000050C0000040BE0000F0C100000042000040C10000E040000000C1000050C10000E041000040C10000204200002041000040C10000E041000090C1000050C1000000420000C0C10000F041000020C2000020C20000F0C1000010410000E0410000E041000010410000E03F0000303F0000503F0000103F000000400000B03F0000903F0000503F0000F03F0000F03E000030400000C03F0000603F000010400000F03F000000400000D03F0000A03F0000E03E0000E03F0000803F0000A03F0000A03F0000C03F"> : tensor<10x4x6xf32>
    check.expect_almost_eq %r#8, %e8, tolerance = 2.0e-5 : tensor<10x4x6xf32>, tensor<10x4x6xf32>
    %e9 = stablehlo.constant dense<"0xC400000030000000B20000002A000000C9000000C00000003B0000003300000046000000270000004E000000C100000034000000CB000000C700000048000000C30000003D000000A4000000C5000000B8000000BC000000BC00000041000000"> : tensor<4x6xi32>
    check.expect_eq %r#9, %e9 : tensor<4x6xi32>, tensor<4x6xi32>
    %e10 = stablehlo.constant dense<"0x0000AC3F0000F740009503C200F407420040AFC1006017C220768942009503C20020BA4100288E42006017C20000F7400048A9410020BA410040AFC10000AC3F"> : tensor<4x4xf32>
    check.expect_almost_eq %r#10, %e10, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e11 = stablehlo.constant dense<"0x0000E040"> : tensor<f32>
    check.expect_almost_eq %r#11, %e11, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e12 = stablehlo.constant dense<"0x000048C00000003F000028BF0000A03E000090C0000000C00000B03F0000283F000068400000703E0000E040000008C00000483F0000B8C0000070C000008040000038C00000C83F000040BE000048C0000088BF0000C8BF0000B8BF00001040000050C0000028C00000E0BF0000A0BF0000C0C00000803E000008400000A0C0000000BE0000884000008040000010BF000008400000A0C0000000BE0000884000008040000010BF000050C0000028C00000E0BF0000A0BF0000C0C00000803E0000183F0000C8BF0000303F0000F8BE0000D040000090C00000883F000070C0000058C10000703F000080FF000058C00000883F000070C0000058C10000703F000080FF000058C00000183F0000C8BF0000303F0000F8BE0000D040000090C00000807F000020BE0000203F000050BE00004840000060BF0000E03F0000E0BD000078BF0000803D000018C00000B0BF0000103F000010C1000088BF0000807F0000D0BE000040BF0000803D0000C8C00000D03F0000A0C00000A03E000090BF00004840000000BF0000283F0000A0BE00009040000000400000B0BF000028BF000068C0000070BE0000E0C000000840000048BF0000B84000007040000080C0000038400000C8BF0000403E000048400000883F0000C83F0000B83F000010C0000040BE0000003F000028BF0000A03E0000B8BF000010400000B03F0000283F00006840000080400000E0400000C83F0000B03F0000283F00006840000080400000E0400000C83F000040BE0000003F000028BF0000A03E0000B8BF00001040000048C0000048C0000088BF0000C8BF000090C0000000C00000483F0000B8C0000070C00000703E000038C0000008C00000483F0000B8C0000070C00000703E000038C0000008C0000048C0000048C0000088BF0000C8BF000090C0000000C0000000C0000090C00000A03E000028BF0000003F000048C0000008C00000E0400000703E000068400000283F0000B03F0000C83F000038C000008040000070C00000B8C00000483F000010400000B8BF0000C8BF000088BF000048C0000040BE000080FF0000807F000040C10000E040000000C1000050C10000807F000040C10000807F00002041000040C10000807F000080FF000050C10000807F000080FF0000807F000080FF000080FF000080FF000010410000807F0000807F000010410000E03F0000383F0000503F0000103F000008400000B83F0000983F0000503F0000F03F0000F83E000028400000B83F0000603F000018400000F83F000000400000D83F0000A03F0000E03E0000E03F0000803F0000A03F0000983F0000C03F"> : tensor<10x4x6xf32>
    check.expect_almost_eq %r#12, %e12, tolerance = 2.0e-5 : tensor<10x4x6xf32>, tensor<10x4x6xf32>
    %e13 = stablehlo.constant dense<"0xC900000020000000A500000014000000D2000000C000000036000000250000004D0000000F0000005C000000C100000029000000D7000000CE00000050000000C7000000390000008C000000C9000000B1000000B9000000B700000042000000"> : tensor<4x6xi32>
    check.expect_eq %r#13, %e13 : tensor<4x6xi32>, tensor<4x6xi32>
    %e14 = stablehlo.constant dense<"0x00C0993F00500341001906C2002D0B4200F6AAC100341BC2A0108A42001906C200A4B94180E2944200341BC2005003410000A44100A4B94100F6AAC100C0993F"> : tensor<4x4xf32>
    check.expect_almost_eq %r#14, %e14, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e15 = stablehlo.constant dense<"0x0000E040"> : tensor<f32>
    check.expect_almost_eq %r#15, %e15, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e16 = stablehlo.constant dense<"0x000040C00000003F000020BF0000A03E000090C0000000C00000B03F0000303F000060400000703E0000E040000010C00000403F0000B0C0000070C000008040000030C00000D03F000040BE000050C0000080BF0000C0BF0000C0BF00001040000050C0000030C00000D0BF0000A0BF0000C0C00000803E000000400000A0C0000080BE0000804000008040000020BF000000400000A0C0000080BE0000804000008040000020BF000050C0000030C00000D0BF0000A0BF0000C0C00000803E0000103F0000D0BF0000203F0000F0BE0000E040000090C00000803F000070C0000050C10000703F0000A0C1000070C00000803F000070C0000050C10000703F0000A0C1000070C00000103F0000D0BF0000203F0000F0BE0000E040000090C000008041000020BE0000203F000050BE00004040000060BF0000F03F000000BE000070BF0000703D000020C00000B0BF0000103F000000C1000090BF000090410000D0BE000040BF0000803D0000D0C00000D03F0000A0C00000B03E000090BF00004040000000BF0000203F0000A0BE00009040000000400000B0BF000030BF000060C0000070BE0000E0C000001040000040BF0000B04000007040000080C0000030400000D0BF0000403E000050400000803F0000C03F0000C03F000010C0000040BE0000003F000020BF0000A03E0000C0BF000010400000B03F0000303F00006040000080400000E0400000D03F0000B03F0000303F00006040000080400000E0400000D03F000040BE0000003F000020BF0000A03E0000C0BF00001040000040C0000050C0000080BF0000C0BF000090C0000000C00000403F0000B0C0000070C00000703E000030C0000010C00000403F0000B0C0000070C00000703E000030C0000010C0000040C0000050C0000080BF0000C0BF000090C0000000C0000000C0000090C00000A03E000020BF0000003F000040C0000010C00000E0400000703E000060400000303F0000B03F0000D03F000030C000008040000070C00000B0C00000403F000010400000C0BF0000C0BF000080BF000050C0000040BE0000F0C100000042000040C10000E040000000C1000050C10000E041000040C10000204200002041000040C10000E041000090C1000050C1000000420000C0C10000F041000020C2000020C20000F0C1000010410000E0410000E041000010410000E03F0000303F0000503F0000103F000000400000B03F0000903F0000503F0000F03F0000F03E000030400000C03F0000603F000010400000F03F000000400000D03F0000A03F0000E03E0000E03F0000803F0000A03F0000A03F0000C03F"> : tensor<10x4x6xf32>
    check.expect_almost_eq %r#16, %e16, tolerance = 2.0e-5 : tensor<10x4x6xf32>, tensor<10x4x6xf32>
    %e17 = stablehlo.constant dense<"0xCC00000038000000BA00000032000000D1000000C8000000430000003B0000004E0000002F00000056000000C90000003C000000D3000000CF00000050000000CB00000045000000AC000000CD000000C0000000C4000000C400000049000000"> : tensor<4x6xi32>
    check.expect_eq %r#17, %e17 : tensor<4x6xi32>, tensor<4x6xi32>
    %e18 = stablehlo.constant dense<"0x0000AC3F0000F740009503C200F407420040AFC1006017C220768942009503C20020BA4100288E42006017C20000F7400048A9410020BA410040AFC10000AC3F"> : tensor<4x4xf32>
    check.expect_almost_eq %r#18, %e18, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e19 = stablehlo.constant dense<"0x0000E040"> : tensor<f32>
    check.expect_almost_eq %r#19, %e19, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e20 = stablehlo.constant dense<"0x000040C00000003F000020BF0000A03E000080C0000000C00000C03F0000203F000060400000803E0000E040000000C00000403F0000C0C0000080C000008040000040C00000C03F000040BE000040C0000080BF0000C0BF0000C0BF00002040000040C0000020C00000C0BF0000A0BF0000C0C00000003F000000400000A0C0000000BF0000804000008040000000BF000000400000A0C0000000BF0000804000008040000000BF000040C0000020C00000C0BF0000A0BF0000C0C00000003F0000003F0000C0BF0000203F000000BF0000C0400000A0C00000803F000080C0000060C10000803F0000A0C1000040C00000803F000080C0000060C10000803F0000A0C1000040C00000003F0000C0BF0000203F000000BF0000C0400000A0C000008041000020BE0000203F000060BE00002040000040BF000000400000E0BD000060BF0000803D000020C00000A0BF0000003F000020C10000A0BF000080410000E0BE000040BF0000803D0000C0C00000C03F0000A0C00000C03E0000A0BF00004040000000BF0000203F0000A0BE00008040000000400000C0BF000020BF000060C0000080BE0000E0C000000040000040BF0000C04000008040000080C0000040400000C0BF0000403E000040400000803F0000C03F0000C03F000020C0000040BE0000003F000020BF0000A03E0000C0BF000020400000C03F0000203F00006040000080400000E0400000C03F0000C03F0000203F00006040000080400000E0400000C03F000040BE0000003F000020BF0000A03E0000C0BF00002040000040C0000040C0000080BF0000C0BF000080C0000000C00000403F0000C0C0000080C00000803E000040C0000000C00000403F0000C0C0000080C00000803E000040C0000000C0000040C0000040C0000080BF0000C0BF000080C0000000C0000000C0000080C00000A03E000020BF0000003F000040C0000000C00000E0400000803E000060400000203F0000C03F0000C03F000040C000008040000080C00000C0C00000403F000020400000C0BF0000C0BF000080BF000040C0000040BE000000C200000042000040C10000E040000000C1000040C10000E041000040C10000204200002041000040C10000E041000080C1000040C1000000420000C0C100000042000020C2000020C2000000C2000000410000E0410000E041000000410000E03F0000403F0000403F0000003F000000400000C03F0000A03F0000403F0000E03F0000003F000020400000C03F0000603F0000204000000040000000400000E03F0000A03F0000E03E0000E03F0000803F0000A03F0000A03F0000C03F"> : tensor<10x4x6xf32>
    check.expect_almost_eq %r#20, %e20, tolerance = 2.0e-5 : tensor<10x4x6xf32>, tensor<10x4x6xf32>
    %e21 = stablehlo.constant dense<"0xC60000003C000000BD00000039000000C8000000C4000000420000003D00000047000000380000004B000000C40000003E000000CA000000C800000048000000C600000042000000B6000000C6000000C0000000C2000000C200000045000000"> : tensor<4x6xi32>
    check.expect_eq %r#21, %e21 : tensor<4x6xi32>, tensor<4x6xi32>
    %e22 = stablehlo.constant dense<"0x0000603E0000F0400060F2C100E8ED410040ACC100801EC200E887420060F2C100E0C04100A09F4200801EC20000F0400048A64100E0C0410040ACC10000603E"> : tensor<4x4xf32>
    check.expect_almost_eq %r#22, %e22, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e23 = stablehlo.constant dense<"0x0000E040"> : tensor<f32>
    check.expect_almost_eq %r#23, %e23, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e24 = stablehlo.constant dense<"0x000040C00000003F000020BF0000A03E000090C0000000C00000B03F0000303F000060400000703E0000E040000010C00000403F0000B0C0000070C000008040000030C00000D03F000040BE000050C0000080BF0000C0BF0000C0BF00001040000050C0000030C00000D0BF0000A0BF0000C0C00000803E000000400000A0C0000080BE0000804000008040000020BF000000400000A0C0000080BE0000804000008040000020BF000050C0000030C00000D0BF0000A0BF0000C0C00000803E0000103F0000D0BF0000203F0000F0BE0000E040000090C00000803F000070C0000050C10000703F0000A0C1000070C00000803F000070C0000050C10000703F0000A0C1000070C00000103F0000D0BF0000203F0000F0BE0000E040000090C000008041000020BE0000203F000050BE00004040000060BF0000F03F000000BE000070BF0000703D000020C00000B0BF0000103F000000C1000090BF000090410000D0BE000040BF0000803D0000D0C00000D03F0000A0C00000B03E000090BF00004040000000BF0000203F0000A0BE00009040000000400000B0BF000030BF000060C0000070BE0000E0C000001040000040BF0000B04000007040000080C0000030400000D0BF0000403E000050400000803F0000C03F0000C03F000010C0000040BE0000003F000020BF0000A03E0000C0BF000010400000B03F0000303F00006040000080400000E0400000D03F0000B03F0000303F00006040000080400000E0400000D03F000040BE0000003F000020BF0000A03E0000C0BF00001040000040C0000050C0000080BF0000C0BF000090C0000000C00000403F0000B0C0000070C00000703E000030C0000010C00000403F0000B0C0000070C00000703E000030C0000010C0000040C0000050C0000080BF0000C0BF000090C0000000C0000000C0000090C00000A03E000020BF0000003F000040C0000010C00000E0400000703E000060400000303F0000B03F0000D03F000030C000008040000070C00000B0C00000403F000010400000C0BF0000C0BF000080BF000050C0000040BE0000F0C10000C07F000040C10000E040000000C1000050C10000E041000040C10000C07F00002041000040C10000E041000090C1000050C10000C07F0000C0C10000F0410000C07F0000C07F0000F0C1000010410000E0410000E041000010410000E03F0000303F0000503F0000103F000000400000B03F0000903F0000503F0000F03F0000F03E000030400000C03F0000603F000010400000F03F000000400000D03F0000A03F0000E03E0000E03F0000803F0000A03F0000A03F0000C03F"> : tensor<10x4x6xf32>
    check.expect_almost_eq %r#24, %e24, tolerance = 2.0e-5 : tensor<10x4x6xf32>, tensor<10x4x6xf32>
    %e25 = stablehlo.constant dense<"0xE400000050000000D20000004A000000E9000000E00000005B0000005300000066000000470000006E000000E100000054000000EB000000E700000068000000E30000005D000000C4000000E5000000D8000000DC000000DC00000061000000"> : tensor<4x6xi32>
    check.expect_eq %r#25, %e25 : tensor<4x6xi32>, tensor<4x6xi32>
    %e26 = stablehlo.constant dense<"0x0000AC3F0000F740009503C200F407420040AFC1006017C220768942009503C20020BA4100288E42006017C20000F7400048A9410020BA410040AFC10000AC3F"> : tensor<4x4xf32>
    check.expect_almost_eq %r#26, %e26, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e27 = stablehlo.constant dense<"0x0000E040"> : tensor<f32>
    check.expect_almost_eq %r#27, %e27, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e28 = stablehlo.constant dense<"0x000080400000003F0000003F0000803E00008040000000400000803F0000003F000080400000803E00000041000000400000803F00008040000080400000804000000040000000400000003E000080400000803F000000400000803F00000040"> : tensor<4x6xf32>
    check.expect_almost_eq %r#28, %e28, tolerance = 2.0e-5 : tensor<4x6xf32>, tensor<4x6xf32>
    %e29 = stablehlo.constant dense<"0x000040C00000003F000000BF0000003F000080C0000000C00000C03F0000003F00008040000000000000C040000000C00000803F0000C0C0000080C000008040000040C00000C03F00000080000040C0000080BF0000C0BF0000C0BF00000040"> : tensor<4x6xf32>
    check.expect_almost_eq %r#29, %e29, tolerance = 2.0e-5 : tensor<4x6xf32>, tensor<4x6xf32>
    return
  }
}
