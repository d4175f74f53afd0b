module @jit_eigenvectors attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x4xf32>, %arg1: tensor<2x4x4xf32>, %arg2: tensor<2x4x4xf32>) -> (tensor<2xf32> {jax.result_info = "result[0]"}, tensor<2x4xf32> {jax.result_info = "result[1]"}, tensor<2x2xf32> {jax.result_info = "result[2]"}, tensor<2x2x4xf32> {jax.result_info = "result[3]"}, tensor<2x2xf32> {jax.result_info = "result[4]"}, tensor<2xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.complex %arg1, %arg2 : tensor<2x4x4xcomplex<f32>>
    %1:5 = stablehlo.custom_call @lapack_sgeev_ffi(%arg0) {backend_config = "", mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l], [i, m], [i, n, o], [i, p, q], [i]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4, q=4}, custom>} : (tensor<2x4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2xi32>)
    %2 = stablehlo.complex %1#0, %1#1 : tensor<2x4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.compare EQ, %1#4, %3, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %8 = stablehlo.select %7, %2, %6 : tensor<2x4xi1>, tensor<2x4xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %12 = stablehlo.select %11, %1#3, %10 : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f32>>
    %13:4 = stablehlo.custom_call @lapack_cgeev_ffi(%0) {backend_config = "", mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l], [i, m, n], [i, o, p], [i]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4x4xcomplex<f32>>) -> (tensor<2x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2xi32>)
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %15 = stablehlo.compare EQ, %13#3, %14, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst_2 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %18 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %19 = stablehlo.select %18, %13#0, %17 : tensor<2x4xi1>, tensor<2x4xcomplex<f32>>
    %20 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_3 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %23 = stablehlo.select %22, %13#2, %21 : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f32>>
    %24 = stablehlo.abs %8 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %26 = stablehlo.abs %12 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<2x4x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %28 = stablehlo.multiply %19, %19 : tensor<2x4xcomplex<f32>>
    %cst_6 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %29 = stablehlo.reduce(%28 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<2x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
    %30 = stablehlo.real %29 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %31 = stablehlo.imag %29 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %32 = stablehlo.broadcast_in_dim %30, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %33 = stablehlo.broadcast_in_dim %31, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %34 = stablehlo.concatenate %32, %33, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    %35 = stablehlo.broadcast_in_dim %19, dims = [0, 2] : (tensor<2x4xcomplex<f32>>) -> tensor<2x1x4xcomplex<f32>>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<2x1x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %37 = stablehlo.multiply %36, %23 : tensor<2x4x4xcomplex<f32>>
    %cst_7 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %38 = stablehlo.reduce(%37 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<2x4x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %39 = stablehlo.real %38 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %40 = stablehlo.imag %38 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %41 = stablehlo.broadcast_in_dim %39, dims = [1, 2] : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
    %42 = stablehlo.broadcast_in_dim %40, dims = [1, 2] : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
    %43 = stablehlo.concatenate %41, %42, dim = 0 : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<2x2x4xf32>
    %44 = call @eigvals(%0) : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %45 = stablehlo.real %44 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %46 = stablehlo.imag %44 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %48 = stablehlo.compare EQ, %45, %47, FLOAT : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    %49 = stablehlo.sine %45 : tensor<2x4xf32>
    %50 = stablehlo.cosine %45 : tensor<2x4xf32>
    %51 = stablehlo.exponential_minus_one %46 : tensor<2x4xf32>
    %52 = stablehlo.negate %46 : tensor<2x4xf32>
    %53 = stablehlo.exponential_minus_one %52 : tensor<2x4xf32>
    %54 = stablehlo.subtract %51, %53 : tensor<2x4xf32>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %56 = stablehlo.divide %54, %55 : tensor<2x4xf32>
    %57 = stablehlo.add %51, %53 : tensor<2x4xf32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %59 = stablehlo.add %57, %58 : tensor<2x4xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %61 = stablehlo.divide %59, %60 : tensor<2x4xf32>
    %62 = stablehlo.multiply %49, %61 : tensor<2x4xf32>
    %63 = stablehlo.multiply %50, %56 : tensor<2x4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %65 = stablehlo.complex %64, %63 : tensor<2x4xcomplex<f32>>
    %66 = stablehlo.complex %62, %63 : tensor<2x4xcomplex<f32>>
    %67 = stablehlo.select %48, %65, %66 : tensor<2x4xi1>, tensor<2x4xcomplex<f32>>
    %cst_13 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %68 = stablehlo.reduce(%67 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<2x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
    %69 = stablehlo.real %68 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %70 = stablehlo.imag %68 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %71 = stablehlo.broadcast_in_dim %69, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %72 = stablehlo.broadcast_in_dim %70, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %73 = stablehlo.concatenate %71, %72, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    %74 = call @eigvals_0(%arg0) : (tensor<2x4x4xf32>) -> tensor<2x4xcomplex<f32>>
    %75 = stablehlo.real %74 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %76 = stablehlo.imag %74 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %78 = stablehlo.compare EQ, %75, %77, FLOAT : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    %79 = stablehlo.sine %75 : tensor<2x4xf32>
    %80 = stablehlo.cosine %75 : tensor<2x4xf32>
    %81 = stablehlo.exponential_minus_one %76 : tensor<2x4xf32>
    %82 = stablehlo.negate %76 : tensor<2x4xf32>
    %83 = stablehlo.exponential_minus_one %82 : tensor<2x4xf32>
    %84 = stablehlo.subtract %81, %83 : tensor<2x4xf32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %86 = stablehlo.divide %84, %85 : tensor<2x4xf32>
    %87 = stablehlo.add %81, %83 : tensor<2x4xf32>
    %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %89 = stablehlo.add %87, %88 : tensor<2x4xf32>
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %91 = stablehlo.divide %89, %90 : tensor<2x4xf32>
    %92 = stablehlo.multiply %80, %91 : tensor<2x4xf32>
    %93 = stablehlo.negate %79 : tensor<2x4xf32>
    %94 = stablehlo.multiply %93, %86 : tensor<2x4xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %96 = stablehlo.complex %92, %95 : tensor<2x4xcomplex<f32>>
    %97 = stablehlo.complex %92, %94 : tensor<2x4xcomplex<f32>>
    %98 = stablehlo.select %78, %96, %97 : tensor<2x4xi1>, tensor<2x4xcomplex<f32>>
    %cst_19 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %99 = stablehlo.reduce(%98 init: %cst_19) applies stablehlo.add across dimensions = [1] : (tensor<2x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
    %100 = stablehlo.real %99 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    return %25, %27, %34, %43, %73, %100 : tensor<2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2x4xf32>, tensor<2x2xf32>, tensor<2xf32>
  }
  func.func private @eigvals(%arg0: tensor<2x4x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>> {
    %0:4 = stablehlo.custom_call @lapack_cgeev_ffi(%arg0) {backend_config = "", mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l], [i, m, n], [i, o, p], [i]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4x4xcomplex<f32>>) -> (tensor<2x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#3, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<2x4xi1>, tensor<2x4xcomplex<f32>>
    return %6 : tensor<2x4xcomplex<f32>>
  }
  func.func private @eigvals_0(%arg0: tensor<2x4x4xf32>) -> tensor<2x4xcomplex<f32>> {
    %0:5 = stablehlo.custom_call @lapack_sgeev_ffi(%arg0) {backend_config = "", mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l], [i, m], [i, n, o], [i, p, q], [i]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4, q=4}, custom>} : (tensor<2x4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2xi32>)
    %1 = stablehlo.complex %0#0, %0#1 : tensor<2x4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %3 = stablehlo.compare EQ, %0#4, %2, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %7 = stablehlo.select %6, %1, %5 : tensor<2x4xi1>, tensor<2x4xcomplex<f32>>
    return %7 : tensor<2x4xcomplex<f32>>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x75297B3F82022CBF80E41140BEEB973DE1F223BF34424C3FC48FE63F28E6F83E6ACB9BBF14F4BD3E9913B03F148AFCBE660D46BFF71A823FB4530F3E1A208DBF266EC2BE197341BF87B0973E46A2E03DD941933F9CAC353FE221C8BF1061D03E5B9D653F0269E93EFFD8833F14B10CBFB76973BF12196E3F256188BFDD350AC0"> : tensor<2x4x4xf32>
    %a1 = stablehlo.constant dense<"0x073D833F2F6439BFB6B49CBEFDF0B2BFE3AAA9BF1A0B94BF19A7B8BE8570BD3E570F13C06C8E403FB74B97BFE77C88BFEE872D3FADD998BDDDA9C4BF9D1BEC3FB3515CBF65407D3E0EB04C3E5EA6B43F6D4DE9BE1509813F79EC3DBFEBA18F3FF65243BF7973B9BE08AFF23F134AA23E50C9E03DBC7D0F40BE03B93E60EE50BF"> : tensor<2x4x4xf32>
    %a2 = stablehlo.constant dense<"0x95103C3F524197BFAD6C903F7B5D9A3F74AD12BF2DBE20BF89BD343E02EB673CBC497ABF356E113F17AE02C0C19FDDBE5AD1CEBE76E98BBE744C9D3ED72F9DBFEDA8163F4B7A38BE907426BF29F4AEBF207097BF7D7CB83ED1BE76BF9B7A833D0FEF873FA22D843F16BBC73FC2B397BE2AE68ABF94A0823F65849E3E9DDD8F3F"> : tensor<2x4x4xf32>
    %r:6 = call @main(%a0, %a1, %a2) : (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> (tensor<2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2x4xf32>, tensor<2x2xf32>, tensor<2xf32>)
    %e0 = stablehlo.constant dense<"0x2448C0400139B640"> : tensor<2xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2xf32>, tensor<2xf32>
    %e1 = stablehlo.constant dense<"0x7E36D73FF8E61C40AE7AA43F1F4BB43F8989AE3F82BC0E40A292A73F4A18FF3F"> : tensor<2x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<2x4xf32>, tensor<2x4xf32>
    %e2 = stablehlo.constant dense<"0xA5C8D2405E7AEE40D019B7406EE94940"> : tensor<2x2xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<2x2xf32>, tensor<2x2xf32>
    %e3 = stablehlo.constant dense<"0xE2DB1DBF6A5C26C029EA1BBF60E7E63F9650C2BF991856C07925FB3F550F81BEA548EDBEC07FEDBF696B263E906851C01C846E3F5A5BE3BF01FE1A40589E27BF"> : tensor<2x2x4xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<2x2x4xf32>, tensor<2x2x4xf32>
    %e4 = stablehlo.constant dense<"0x4C741C40E8FCFB3FE04A8F3FCA40DE3F"> : tensor<2x2xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 2.0e-5 : tensor<2x2xf32>, tensor<2x2xf32>
    %e5 = stablehlo.constant dense<"0xB5DF2E40947A1E40"> : tensor<2xf32>
    check.expect_almost_eq %r#5, %e5, tolerance = 2.0e-5 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x75297B3F82022CBF80E41140BEEB973DE1F223BF34424C3FC48FE63F28E6F83E6ACB9BBF14F4BD3E9913B03F148AFCBE660D46BFF71A823FB4530F3E1A208DBF266EC2BE197341BF87B0973E46A2E03DD941933F9CAC353FE221C8BF1061D03E5B9D653F0269E93EFFD8833F14B10CBFB76973BF12196E3F256188BFDD350AC0"> : tensor<2x4x4xf32>
    %a1 = stablehlo.constant dense<"0x073D833F2F6439BFB6B49CBEFDF0B2BFE3AAA9BF1A0B94BF19A7B8BE8570BD3E570F13C06C8E403FB74B97BFE77C88BFEE872D3FADD998BDDDA9C4BF9D1BEC3FB3515CBF65407D3E0EB04C3E5EA6B43F6D4DE9BE1509813F79EC3DBFEBA18F3FF65243BF7973B9BE08AFF23F134AA23E50C9E03DBC7D0F40BE03B93E60EE50BF"> : tensor<2x4x4xf32>
    %a2 = stablehlo.constant dense<"0x95103C3F524197BFAD6C903F7B5D9A3F74AD12BF2DBE20BF89BD343E02EB673CBC497ABF356E113F17AE02C0C19FDDBE5AD1CEBE76E98BBE744C9D3ED72F9DBFEDA8163F4B7A38BE907426BF29F4AEBF207097BF7D7CB83ED1BE76BF9B7A833D0FEF873FA22D843F16BBC73FC2B397BE2AE68ABF94A0823F65849E3E9DDD8F3F"> : tensor<2x4x4xf32>
    %a3 = stablehlo.constant dense<"0xB70D0C3D350CAE3F"> : tensor<2xf32>
    %a4 = stablehlo.constant dense<"0xA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBF"> : tensor<2x4xf32>
    %a5 = stablehlo.constant dense<"0xAC84C83F397EC5BD482D2E3F0CD80BBE"> : tensor<2x2xf32>
    %a6 = stablehlo.constant dense<"0x3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D"> : tensor<2x2x4xf32>
    %a7 = stablehlo.constant dense<"0x21B2653F2DBA6EBE4F5C3EBFE91DC53E"> : tensor<2x2xf32>
    %a8 = stablehlo.constant dense<"0xC49C373FFD9A99BE"> : tensor<2xf32>
    %r:3 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2x4xf32>, tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
    %e0 = stablehlo.constant dense<"0xA057E7BF14FDF6BE1E62733FE8F7513F7272973F7812CB3DDCEA67BE76590CBF12458BBF00C432BC30F992BF4053B03CD88167BE3EE744BF5488F03D157E073F35E801404E7E7FC09AA501BF83D80CC011E3F83EFC6AFFBE9A897DBE4AB2EA3D8D10F53F131602C0E14D033F022C05C0513F093FA94EA5BF0C280DBFEC39F9BF"> : tensor<2x4x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 8.0e-05 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %e1 = stablehlo.constant dense<"0x79723540EE5144C07260F7C0D0EBB63E27EFADBFBF8144BF336759402B26F7BD952DB5BF3B40F5BFF4C224C1BEBADEBF468C8CBFDAA2EBBE6883ADC0A8179A3F48CA00BF7E6FE63FDF9700BF88068E3FCE681B4034AEFFBF35420C3F3A5247C078905B3FEB6C87BD5214C7BFDB5DB0BE4E52D3BFD0DC7CBD987814C0966C3D3F"> : tensor<2x4x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.1e-04 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %e2 = stablehlo.constant dense<"0xBB3A8FBF0B0588BFB80E95BF4B09AA400391FC3FE4F2D93F7C4D9EBEC3665ABF9FA5A3C03D7E8AC0B1AA9E401DD4D8BF247CDAC0CC7F583EC5DDA93F2E2DC940A358F13FD08D1A3F6ED1AA3F83B351BF08486AC0E78FFABF347F26C0B55E5B3F078914C0379C0DBF327D23C02F74423F4CD755BFE801753FF7F987BFD888A5BD"> : tensor<2x4x4xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 1.4e-04 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    return
  }
}
