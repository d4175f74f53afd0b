module @jit_scatters attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4xf32>, %arg1: tensor<3xi32>, %arg2: tensor<3x4xf32>) -> (tensor<5x4xf32> {jax.result_info = "result[0]"}, tensor<5x4xf32> {jax.result_info = "result[1]"}, tensor<5x4xf32> {jax.result_info = "result[2]"}, tensor<5x4xf32> {jax.result_info = "result[3]"}, tensor<5x4xf32> {jax.result_info = "result[4]"}, tensor<5x4xf32> {jax.result_info = "result[5]"}, tensor<5x4xf32> {jax.result_info = "result[6]"}, tensor<4x4xf32> {jax.result_info = "result[7]"}, tensor<6xi32> {jax.result_info = "result[8]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3xi1>, tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare LT, %arg1, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %10 = stablehlo.add %arg1, %9 : tensor<3xi32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<3xi1>, tensor<3xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %13 = "stablehlo.scatter"(%arg0, %12, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %76 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %76 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %16 = "stablehlo.scatter"(%arg0, %14, %15) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %76 = stablehlo.multiply %arg3, %arg4 : tensor<f32>
      stablehlo.return %76 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<1xi32>, tensor<5xf32>) -> tensor<5x4xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %18 = stablehlo.compare LT, %arg1, %17, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_5 = stablehlo.constant dense<5> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %20 = stablehlo.add %arg1, %19 : tensor<3xi32>
    %21 = stablehlo.select %18, %20, %arg1 : tensor<3xi1>, tensor<3xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %23 = stablehlo.convert %22 : tensor<3xi32>
    %24 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %25 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %26 = stablehlo.concatenate %24, %25, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %28 = "stablehlo.scatter"(%arg0, %26, %27) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %76 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %76 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<5x4xf32>
    %29 = stablehlo.slice %arg1 [0:1] : (tensor<3xi32>) -> tensor<1xi32>
    %30 = stablehlo.reshape %29 : (tensor<1xi32>) -> tensor<i32>
    %31 = stablehlo.slice %arg2 [0:1, 1:3] : (tensor<3x4xf32>) -> tensor<1x2xf32>
    %32 = stablehlo.reshape %31 : (tensor<1x2xf32>) -> tensor<2xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.compare LT, %30, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<5> : tensor<i32>
    %34 = stablehlo.add %30, %c_9 : tensor<i32>
    %35 = stablehlo.select %33, %34, %30 : tensor<i1>, tensor<i32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %37 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %38 = stablehlo.concatenate %36, %37, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %39 = "stablehlo.scatter"(%arg0, %38, %32) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %76 = stablehlo.minimum %arg3, %arg4 : tensor<f32>
      stablehlo.return %76 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<5x4xf32>
    %c_11 = stablehlo.constant dense<4> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %41 = stablehlo.add %arg1, %40 : tensor<3xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %43 = stablehlo.compare LT, %41, %42, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_13 = stablehlo.constant dense<5> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %45 = stablehlo.add %41, %44 : tensor<3xi32>
    %46 = stablehlo.select %43, %45, %41 : tensor<3xi1>, tensor<3xi32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %48 = "stablehlo.scatter"(%arg0, %47, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %76 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %76 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %c_14 = stablehlo.constant dense<4> : tensor<i32>
    %49 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %50 = stablehlo.add %arg1, %49 : tensor<3xi32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %52 = stablehlo.compare LT, %50, %51, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_16 = stablehlo.constant dense<5> : tensor<i32>
    %53 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %54 = stablehlo.add %50, %53 : tensor<3xi32>
    %55 = stablehlo.select %52, %54, %50 : tensor<3xi1>, tensor<3xi32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %c_17 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_18 = stablehlo.constant dense<2147483647> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %58 = stablehlo.minimum %c_17, %57 : tensor<1xi32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<1xi32>) -> tensor<3x1xi32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %61 = stablehlo.clamp %60, %56, %59 : tensor<3x1xi32>
    %62 = "stablehlo.scatter"(%arg0, %61, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %64 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %65 = "stablehlo.scatter"(%63, %64, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %76 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %76 : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %66 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %67 = call @clip(%arg1, %c_22) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %69 = stablehlo.compare LT, %67, %68, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_24 = stablehlo.constant dense<6> : tensor<i32>
    %70 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %71 = stablehlo.add %67, %70 : tensor<3xi32>
    %72 = stablehlo.select %69, %71, %67 : tensor<3xi1>, tensor<3xi32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %c_25 = stablehlo.constant dense<1> : tensor<i32>
    %74 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %75 = "stablehlo.scatter"(%66, %73, %74) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %76 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %76 : tensor<i32>
    }) : (tensor<6xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<6xi32>
    return %6, %13, %16, %28, %39, %48, %62, %65, %75 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<4x4xf32>, tensor<6xi32>
  }
  func.func private @clip(%arg0: tensor<3xi32>, %arg1: tensor<i32>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<3xi32>
    return %2 : tensor<3xi32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x4A4CF63FDFD3DA3FF4E1103F9E2D2F3FA4BE01C0F340233F67C446BEE428DE3EA9B52E3FCBBDAEBEB561D8BF0E5ABC3E52CB3DBF330FA9BE28C11ABFD2E2AEBE31CF13C0ECC49B3F95B6813E55428E3F"> : tensor<5x4xf32>
    %a1 = stablehlo.constant dense<"0x010000000300000001000000"> : tensor<3xi32>
    %a2 = stablehlo.constant dense<"0x756BFD3F3615B93C3BB6E6BFC5D564BFD97B9ABFDB7A00BF7B1EA33DD62300C0F358AF3E5E53C1BF4240983EE53CE0BD"> : tensor<3x4xf32>
    %r:9 = call @main(%a0, %a1, %a2) : (tensor<5x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<4x4xf32>, tensor<6xi32>)
    %e0 = stablehlo.constant dense<"0x4A4CF63FDFD3DA3FF4E1103F9E2D2F3FF358AF3E5E53C1BF4240983EE53CE0BDA9B52E3FCBBDAEBEB561D8BF0E5ABC3ED97B9ABFDB7A00BF7B1EA33DD62300C031CF13C0ECC49B3F95B6813E55428E3F"> : tensor<5x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<5x4xf32>, tensor<5x4xf32>
    %e1 = stablehlo.constant dense<"0x4A4CF63FDFD3DA3FF4E1103F9E2D2F3FA711973E1F9D59BFB87ED9BFF0C811BFA9B52E3FCBBDAEBEB561D8BF0E5ABC3E8261F9BF740255BF595D06BF300016C031CF13C0ECC49B3F95B6813E55428E3F"> : tensor<5x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<5x4xf32>, tensor<5x4xf32>
    %e2 = stablehlo.constant dense<"0x4A4CF63FDFD35A40F4E1103F9E2D2F3FA4BE01C0F340A33F67C446BEE428DE3EA9B52E3FCBBD2EBFB561D8BF0E5ABC3E52CB3DBF330F29BF28C11ABFD2E2AEBE31CF13C0ECC41B4095B6813E55428E3F"> : tensor<5x4xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<5x4xf32>, tensor<5x4xf32>
    %e3 = stablehlo.constant dense<"0x4A4CF63FDFD3DA3FF4E1103F9E2D2F3F0000003FF340233F67C446BEE428DE3EA9B52E3FCBBDAEBEB561D8BF0E5ABC3E0000003F330FA9BE28C11ABFD2E2AEBE31CF13C0ECC49B3F95B6813E55428E3F"> : tensor<5x4xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<5x4xf32>, tensor<5x4xf32>
    %e4 = stablehlo.constant dense<"0x4A4CF63FDFD3DA3FF4E1103F9E2D2F3FA4BE01C03615B93C3BB6E6BFE428DE3EA9B52E3FCBBDAEBEB561D8BF0E5ABC3E52CB3DBF330FA9BE28C11ABFD2E2AEBE31CF13C0ECC49B3F95B6813E55428E3F"> : tensor<5x4xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 2.0e-5 : tensor<5x4xf32>, tensor<5x4xf32>
    %e5 = stablehlo.constant dense<"0x4A4CF63FDFD3DA3FF4E1103F9E2D2F3FA4BE01C0F340233F67C446BEE428DE3EA9B52E3FCBBDAEBEB561D8BF0E5ABC3E52CB3DBF330FA9BE28C11ABFD2E2AEBE31CF13C0ECC49B3F95B6813E55428E3F"> : tensor<5x4xf32>
    check.expect_almost_eq %r#5, %e5, tolerance = 2.0e-5 : tensor<5x4xf32>, tensor<5x4xf32>
    %e6 = stablehlo.constant dense<"0x4A4CF63FDFD3DA3FF4E1103F9E2D2F3FA4BE01C0F340233F67C446BEE428DE3EA9B52E3FCBBDAEBEB561D8BF0E5ABC3E52CB3DBF330FA9BE28C11ABFD2E2AEBEF358AF3E5E53C1BF4240983EE53CE0BD"> : tensor<5x4xf32>
    check.expect_almost_eq %r#6, %e6, tolerance = 2.0e-5 : tensor<5x4xf32>, tensor<5x4xf32>
    %e7 = stablehlo.constant dense<"0x00000000000000000000000000000000D9A01440096FBEBF2AA6C0BFB16E80BF00000000000000000000000000000000D97B9ABFDB7A00BF7B1EA33DD62300C0"> : tensor<4x4xf32>
    check.expect_almost_eq %r#7, %e7, tolerance = 2.0e-5 : tensor<4x4xf32>, tensor<4x4xf32>
    %e8 = stablehlo.constant dense<"0x000000000200000000000000010000000000000000000000"> : tensor<6xi32>
    check.expect_eq %r#8, %e8 : tensor<6xi32>, tensor<6xi32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x4A4CF63FDFD3DA3FF4E1103F9E2D2F3FA4BE01C0F340233F67C446BEE428DE3EA9B52E3FCBBDAEBEB561D8BF0E5ABC3E52CB3DBF330FA9BE28C11ABFD2E2AEBE31CF13C0ECC49B3F95B6813E55428E3F"> : tensor<5x4xf32>
    %a1 = stablehlo.constant dense<"0x010000000300000001000000"> : tensor<3xi32>
    %a2 = stablehlo.constant dense<"0x756BFD3F3615B93C3BB6E6BFC5D564BFD97B9ABFDB7A00BF7B1EA33DD62300C0F358AF3E5E53C1BF4240983EE53CE0BD"> : tensor<3x4xf32>
    %a3 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3F"> : tensor<5x4xf32>
    %a4 = stablehlo.constant dense<"0xA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE596F0B3FF27C853F63EC53BE8E4250BF"> : tensor<5x4xf32>
    %a5 = stablehlo.constant dense<"0x42FFB13EA17C7D3EE6A58C3F256DA4BF775F29BF1C9256BF33F4DDBF0F78013E2D1E073F58213DBFE25CB13FA269523FBF9B203F8DACCD3EC3A6743F517EAABF7E2A1D3F954F1A3F9A44E2BFEEADB13E"> : tensor<5x4xf32>
    %a6 = stablehlo.constant dense<"0x3A3780BEDF11483FC2CCE0BEDA6D95BC3C8AAF3EB05260BFA13D193FF1F6D6BDAF26FC3E259705BFA7088B3F84EE1A3F314C36BEF2C7213FA83FA13F3D45E53FF36AC9BFED14623F761DEE3E153AC0BD"> : tensor<5x4xf32>
    %a7 = stablehlo.constant dense<"0x66DA80BF8EEBA03FA180A1BF5723113F9CA3A63FF7C1CCBF9EE39ABE6B94A7BF52E9793E0BD7C13FF18101404199E3BFDC2F13BF881B343FE228CA3FECA8D73ED1033FBF9F21983EFE2488BC68A150BE"> : tensor<5x4xf32>
    %a8 = stablehlo.constant dense<"0x4C063CBFE946C63E66A29D3E766EBEBD2A0263BE2578A4BF04ECF8BEF16C9A3FB42143BE0048B8BF06CFAA3F79BF073FE6EA06406106803D993AECBE6C4CB9BF8973A93FE0722440CB2852BF89A725BF"> : tensor<5x4xf32>
    %a9 = stablehlo.constant dense<"0xD49F183F859154BFA0868ABEED1DB3BEDF90443E03238C3F17C7B43CB13D6B3FADFBD6BE36D5A73EB0D808C0E697B9BFFBC04B3F081417BF4E75143F13D70A3F6F40A93FFFD54F3FC62C823FF0B3E4BD"> : tensor<5x4xf32>
    %a10 = stablehlo.constant dense<"0xD1C232BF70473BBFE5E0F9BE3E9E90BF43250CBFD894BDBD48D3803E1883ADBE3D3BF6BF160994BD0CC1663E19D08A3FE3EE133F65C024BF6C4939BFA1AD0040"> : tensor<4x4xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_const>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_constnoneed>]} : (tensor<5x4xf32>, tensor<3xi32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<4x4xf32>) -> (tensor<5x4xf32>, tensor<3x4xf32>)
    %e0 = stablehlo.constant dense<"0x8422F1BF81D1F73F730B873F360317C000A8A7BFC0A163C0C24B04C0A80FB6BE10C5BBBD95165AC034F9C44081D4CCBF0A9F0D40E085FF3F942D9440E959A6BE84BA7C3F2A76B94021FF1FC0CAB839BF"> : tensor<5x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 1.2e-04 : tensor<5x4xf32>, tensor<5x4xf32>
    %e1 = stablehlo.constant dense<"0x2DF01DC0166720C0A4BC04BFA21BC4BFDCBF033FE74ECABE8572C5BEDA1D0B40C8C3B8BF15451FBF2674AF3F0094D9BF"> : tensor<3x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 5.0e-05 : tensor<3x4xf32>, tensor<3x4xf32>
    return
  }
}
