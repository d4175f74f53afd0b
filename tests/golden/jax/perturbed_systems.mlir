module @jit_perturbed_systems attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x7xf32>, %arg1: tensor<2x7x3xf32>, %arg2: tensor<7xf32>) -> (tensor<2x7x3xf32> {jax.result_info = "result[0]"}, tensor<2x7x3xf32> {jax.result_info = "result[1]"}, tensor<2x7x3xf32> {jax.result_info = "result[2]"}, tensor<7x3xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.slice %arg0 [0:3, 0:1, 0:7] : (tensor<3x2x7xf32>) -> tensor<3x1x7xf32>
    %1 = stablehlo.reshape %0 : (tensor<3x1x7xf32>) -> tensor<3x7xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<7xf32>) -> tensor<1x7xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x7xf32>) -> tensor<3x7xf32>
    %4 = stablehlo.multiply %3, %1 : tensor<3x7xf32>
    %5 = stablehlo.slice %4 [0:1, 0:7] : (tensor<3x7xf32>) -> tensor<1x7xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x7xf32>) -> tensor<7xf32>
    %7 = stablehlo.slice %4 [1:2, 0:7] : (tensor<3x7xf32>) -> tensor<1x7xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x7xf32>) -> tensor<7xf32>
    %9 = stablehlo.slice %4 [2:3, 0:7] : (tensor<3x7xf32>) -> tensor<1x7xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x7xf32>) -> tensor<7xf32>
    %11 = stablehlo.slice %arg1 [0:1, 0:7, 0:3] : (tensor<2x7x3xf32>) -> tensor<1x7x3xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x7x3xf32>) -> tensor<7x3xf32>
    %13:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%6, %8, %10, %12) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 2, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 3, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n], [o], [p], [q, r], []) {i=7, j=7, k=7, l=7, m=3, n=7, o=7, p=7, q=7, r=3}, custom>} : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7x3xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %15 = stablehlo.compare EQ, %13#4, %14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x3xf32>
    %18 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<7x3xi1>
    %19 = stablehlo.select %18, %13#3, %17 : tensor<7x3xi1>, tensor<7x3xf32>
    %20 = stablehlo.slice %arg0 [0:1, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %22 = stablehlo.slice %arg0 [1:2, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %24 = stablehlo.slice %arg0 [2:3, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %25 = stablehlo.reshape %24 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %26 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%21, %23, %25, %arg1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=7, k=7, l=7, m=7, n=3, o=7, p=3}, custom>} : (tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
    %27 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<7xf32>) -> tensor<1x1x7xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x1x7xf32>) -> tensor<3x2x7xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<3x2x7xf32>
    %30 = stablehlo.slice %29 [0:1, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %32 = stablehlo.slice %29 [1:2, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %33 = stablehlo.reshape %32 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %34 = stablehlo.slice %29 [2:3, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %35 = stablehlo.reshape %34 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %36 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%31, %33, %35, %arg1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=7, k=7, l=7, m=7, n=3, o=7, p=3}, custom>} : (tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
    %37 = stablehlo.abs %36 : tensor<2x7x3xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<2x7x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<2x1x3xf32>) -> tensor<2x7x3xf32>
    %41 = stablehlo.divide %36, %40 : tensor<2x7x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x2x7xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %43 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_4 = stablehlo.constant dense<2> : tensor<i32>
    %45 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %46 = stablehlo.concatenate %43, %44, %45, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %cst_5 = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
    %47 = "stablehlo.scatter"(%42, %46, %cst_5) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<3x2x7xf32>, tensor<3xi32>, tensor<f32>) -> tensor<3x2x7xf32>
    %c_6 = stablehlo.constant dense<2> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %49 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %50 = stablehlo.concatenate %48, %49, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %52 = "stablehlo.scatter"(%47, %50, %51) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<3x2x7xf32>, tensor<2xi32>, tensor<7xf32>) -> tensor<3x2x7xf32>
    %53 = stablehlo.slice %52 [0:1, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %54 = stablehlo.reshape %53 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %55 = stablehlo.slice %52 [1:2, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %56 = stablehlo.reshape %55 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %57 = stablehlo.slice %52 [2:3, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %58 = stablehlo.reshape %57 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %59 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%54, %56, %58, %arg1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o, p]) {i=2, j=7, k=7, l=7, m=7, n=3, o=7, p=3}, custom>} : (tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
    %60 = stablehlo.abs %59 : tensor<2x7x3xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %61 = stablehlo.reduce(%60 init: %cst_9) applies stablehlo.maximum across dimensions = [1] : (tensor<2x7x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<2x1x3xf32>) -> tensor<2x7x3xf32>
    %64 = stablehlo.divide %59, %63 : tensor<2x7x3xf32>
    return %26, %41, %64, %19 : tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<7x3xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0xC10993BFC57BADBF9E7CB33EFC8027BFACBB17C054FF4E3F25541F3E130BF4BEAC420740EB3C0E3ECBE040BFAE28CF3DFD2085BF37FF42BF58D1C53EEFDF0DBF13E6E6BEFC9FD53FF1115C3FFE854D3F8860073F44E9F73E6071BA3FE71EA0BC7D81ED3F0F8F73BF4D9482BED875B0BF0403B0BEA5B8043F75C2B93FD5CF29BF26D1AD3B6DEAB7BEE3143DBF963D98BFD877783D4EB4DDBF7364E23D65A3AB3C536228BF4A6581BF"> : tensor<3x2x7xf32>
    %a1 = stablehlo.constant dense<"0xFB30B1BFB087EF3FBEC5ABBFCA62C73F66A4193FF560BABE181B94BF6D70853F3665DD3F391C6FBF22F598BE9C9B863FCCEBAB3EB8FEFF3FFDF411BF99D30A3F681EA0BF172306409EF73ABF554F0DC049C800BEE7C60EBE7331F53FC579ADBEB5274FBC9CEB173FEB0ACB3F877E81BD9D0D853F31A1043F28AC97BEDDD49E3D7BE5EA3C97806ABFE4599B3F015CB1BFDDE8953FD354743F9C90BEBD29F443BFFADB67BE850FF23E"> : tensor<2x7x3xf32>
    %a2 = stablehlo.constant dense<"0x0000803F0000803F0000803F00000000000000000000803F0000803F"> : tensor<7xf32>
    %r:4 = call @main(%a0, %a1, %a2) : (tensor<3x2x7xf32>, tensor<2x7x3xf32>, tensor<7xf32>) -> (tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<7x3xf32>)
    %e0 = stablehlo.constant dense<"0xF264CABFAC98223F787895BF2FFB0F40745997C003D72540854CA33F4B380FC083257CBFCBBC71BFF12C953F6C08853EDD790EC07AE1B2402D84233DE20E0240BF0B00C1285A0B403150FDBF8A09E9BFB3E360BFCFB6ABBDB8A6903FFB61E23E502EAA3D964393BFEA03EE3E52AA373FF763FBBF62BFD5BED1A80F3DD9942BBF78A583BE4F88CF3FA191B7BF446DDD3FC7DEED41EC677DC09B915A4159F97DC138861640B680FCC0"> : tensor<2x7x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2x7x3xf32>, tensor<2x7x3xf32>
    %e1 = stablehlo.constant dense<"0x212F86BECD402FBD1D2F863ED8CE96BE31F744BDDFCE963EFFFF7FBF2A2D27BE0000803F855975BEA33820BD8359753EC469A83E0000803FD1FAFDBE6BE395BE4ED763BF030BE23E4168B03D6D13863E930405BE0B9DB7BC239DB73CEFB5AE3CE87F15BCB87F153C5C400E3CFFFF7F3F000080BF429673BF13E144BCF7E0443C18553B3CC7A4E53B864611BDA26BD53DF6BA893D6342AEBE0000803FCC3218BD9090403E2E720DBF"> : tensor<2x7x3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<2x7x3xf32>, tensor<2x7x3xf32>
    %e2 = stablehlo.constant dense<"0xE28063BF06F8583FD9E923BF0000803FB42B8B3EFCD931BECC283E3FC0BDF1BE1B4453BF7B8019BFF28C0ABE0273003F9CBC5C3E0BE2673F75478BBECC3EB23E8B0911BF0000803F1F0EF0BE000080BFD4C775BDFFFF7FBF000080BFFFFF7F3FFDFF7F3FFEFF7F3FFDFF7FBFFCEFFFB9FDEFFFB9FCEFFF39FCEF7F2EFDEF7F2EFCEF7FAEFCEFFFA2FDEFFFA2FCEFFF22FCEF7F17FDEF7F17FCEF7F97F9EFFF8BF4EFFF8BFCEFFF0B"> : tensor<2x7x3xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<2x7x3xf32>, tensor<2x7x3xf32>
    %e3 = stablehlo.constant dense<"0x0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F"> : tensor<7x3xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<7x3xf32>, tensor<7x3xf32>
    return
  }
}
