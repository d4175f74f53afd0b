module @jit_forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x4xf32>, %arg1: tensor<2x4x4xf32>, %arg2: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32> {jax.result_info = "result[0]"}, tensor<2x4x4xf32> {jax.result_info = "result[1]"}, tensor<2xf32> {jax.result_info = "result[2]"}, tensor<2x2x4x4xf32> {jax.result_info = "result[3]"}, tensor<2x4xf32> {jax.result_info = "result[4]"}, tensor<2x4x4xf32> {jax.result_info = "result[5]"}, tensor<2x4x4xf32> {jax.result_info = "result[6]"}, tensor<2x2x4x4xf32> {jax.result_info = "result[7]"}, tensor<2x2x4x4xf32> {jax.result_info = "result[8]"}) {
    %0 = stablehlo.complex %arg1, %arg2 : tensor<2x4x4xcomplex<f32>>
    %1:6 = stablehlo.custom_call @lapack_sgees_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n, o], [i, p], [i, q], [i], [i]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4, q=4}, custom>} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %3 = stablehlo.compare EQ, %1#5, %2, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %7 = stablehlo.select %6, %1#0, %5 : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    %8 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %11 = stablehlo.select %10, %1#1, %9 : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    %12:5 = stablehlo.custom_call @lapack_cgees_ffi(%0) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n, o], [i, p], [i], [i]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<2x4x4xcomplex<f32>>) -> (tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2xi32>, tensor<2xi32>)
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %14 = stablehlo.compare EQ, %12#4, %13, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_2 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %18 = stablehlo.select %17, %12#0, %16 : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f32>>
    %19 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_3 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %20 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %21 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %22 = stablehlo.select %21, %12#1, %20 : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f32>>
    %23:2 = call @hessenberg(%0) : (tensor<2x4x4xcomplex<f32>>) -> (tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>)
    %24:6 = stablehlo.custom_call @lapack_sgees_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8, sort = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n, o], [i, p], [i, q], [i], [i]) {i=2, j=4, k=4, l=4, m=4, n=4, o=4, p=4, q=4}, custom>} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>)
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %26 = stablehlo.compare EQ, %24#5, %25, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %29 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %30 = stablehlo.select %29, %24#0, %28 : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    %31 = stablehlo.dot_general %11, %7, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %32 = stablehlo.transpose %11, dims = [0, 2, 1] : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %33 = stablehlo.dot_general %31, %32, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %34 = call @tril(%7) : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %35 = call @trace(%30) : (tensor<2x4x4xf32>) -> tensor<2xf32>
    %36 = stablehlo.dot_general %22, %18, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %37 = stablehlo.transpose %22, dims = [0, 2, 1] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %38 = stablehlo.real %37 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %39 = stablehlo.imag %37 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %40 = stablehlo.negate %39 : tensor<2x4x4xf32>
    %41 = stablehlo.complex %38, %40 : tensor<2x4x4xcomplex<f32>>
    %42 = stablehlo.dot_general %36, %41, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %43 = stablehlo.real %42 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %44 = stablehlo.imag %42 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %45 = stablehlo.broadcast_in_dim %43, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %46 = stablehlo.broadcast_in_dim %44, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %47 = stablehlo.concatenate %45, %46, dim = 0 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %48 = call @diagonal(%18) : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %49 = stablehlo.abs %48 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %50 = call @sort(%49) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %51:2 = call @hessenberg_0(%arg0) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>)
    %52 = stablehlo.real %23#0 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %53 = stablehlo.imag %23#0 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %54 = stablehlo.broadcast_in_dim %52, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %55 = stablehlo.broadcast_in_dim %53, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %56 = stablehlo.concatenate %54, %55, dim = 0 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %57 = stablehlo.real %23#1 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %58 = stablehlo.imag %23#1 : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xf32>
    %59 = stablehlo.broadcast_in_dim %57, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %60 = stablehlo.broadcast_in_dim %58, dims = [1, 2, 3] : (tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %61 = stablehlo.concatenate %59, %60, dim = 0 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    return %33, %34, %35, %47, %50, %51#0, %51#1, %56, %61 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2xf32>, tensor<2x2x4x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>
  }
  func.func private @hessenberg(%arg0: tensor<2x4x4xcomplex<f32>>) -> (tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>) {
    %0:3 = stablehlo.custom_call @lapack_cgehrd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {high = 4 : i32, low = 1 : i32}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=4, k=4, l=4, m=4, n=3}, custom>} : (tensor<2x4x4xcomplex<f32>>) -> (tensor<2x4x4xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#2, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f32>>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x3xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %10 = stablehlo.select %9, %0#1, %8 : tensor<2x3xi1>, tensor<2x3xcomplex<f32>>
    %11 = call @triu(%6) : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %12 = stablehlo.slice %6 [0:2, 1:4, 0:3] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %13 = stablehlo.custom_call @lapack_cungqr_ffi(%12, %10) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<2x1x1xcomplex<f32>>
    %cst_2 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f32>>) -> tensor<2x1x3xcomplex<f32>>
    %cst_3 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x1xcomplex<f32>>
    %17 = call @block(%14, %15, %16, %13) : (tensor<2x1x1xcomplex<f32>>, tensor<2x1x3xcomplex<f32>>, tensor<2x3x1xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    return %11, %17 : tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>
  }
  func.func private @triu(%arg0: tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<-2> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<4x4xi1>) -> tensor<2x4x4xi1>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    %7 = stablehlo.select %5, %6, %arg0 : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f32>>
    return %7 : tensor<2x4x4xcomplex<f32>>
  }
  func.func private @block(%arg0: tensor<2x1x1xcomplex<f32>>, %arg1: tensor<2x1x3xcomplex<f32>>, %arg2: tensor<2x3x1xcomplex<f32>>, %arg3: tensor<2x3x3xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 2 : (tensor<2x1x1xcomplex<f32>>, tensor<2x1x3xcomplex<f32>>) -> tensor<2x1x4xcomplex<f32>>
    %1 = stablehlo.concatenate %arg2, %arg3, dim = 2 : (tensor<2x3x1xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<2x1x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    return %2 : tensor<2x4x4xcomplex<f32>>
  }
  func.func private @tril(%arg0: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<-2> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<4x4xi1>) -> tensor<2x4x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %7 = stablehlo.select %5, %arg0, %6 : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    return %7 : tensor<2x4x4xf32>
  }
  func.func private @trace(%arg0: tensor<2x4x4xf32>) -> tensor<2xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %3 = stablehlo.add %0, %2 : tensor<4x4xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %6 = call @_where(%4, %arg0, %5) : (tensor<4x4xi1>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x4x4xf32>, tensor<f32>) -> tensor<2xf32>
    return %7 : tensor<2xf32>
  }
  func.func private @_where(%arg0: tensor<4x4xi1>, %arg1: tensor<2x4x4xf32>, %arg2: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<4x4xi1>) -> tensor<2x4x4xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    return %1 : tensor<2x4x4xf32>
  }
  func.func private @diagonal(%arg0: tensor<2x4x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>> {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %1 = stablehlo.iota dim = 0 : tensor<4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %5 = stablehlo.add %0, %4 : tensor<4xi32>
    %6 = stablehlo.select %3, %5, %0 : tensor<4xi1>, tensor<4xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %8 = stablehlo.compare LT, %1, %7, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %10 = stablehlo.add %1, %9 : tensor<4xi32>
    %11 = stablehlo.select %8, %10, %1 : tensor<4xi1>, tensor<4xi32>
    %12 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %15 = "stablehlo.gather"(%arg0, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 1, 1>}> : (tensor<2x4x4xcomplex<f32>>, tensor<4x2xi32>) -> tensor<2x4xcomplex<f32>>
    return %15 : tensor<2x4xcomplex<f32>>
  }
  func.func private @sort(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func private @hessenberg_0(%arg0: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
    %0:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {high = 4 : i32, low = 1 : i32}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=4, k=4, l=4, m=4, n=3}, custom>} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x3xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#2, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %10 = stablehlo.select %9, %0#1, %8 : tensor<2x3xi1>, tensor<2x3xf32>
    %11 = call @triu_1(%6) : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %12 = stablehlo.slice %6 [0:2, 1:4, 0:3] : (tensor<2x4x4xf32>) -> tensor<2x3x3xf32>
    %13 = stablehlo.custom_call @lapack_sorgqr_ffi(%12, %10) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xf32>, tensor<2x3xf32>) -> tensor<2x3x3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x1x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x1x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x3x1xf32>
    %17 = call @block_2(%14, %15, %16, %13) : (tensor<2x1x1xf32>, tensor<2x1x3xf32>, tensor<2x3x1xf32>, tensor<2x3x3xf32>) -> tensor<2x4x4xf32>
    return %11, %17 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  }
  func.func private @triu_1(%arg0: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<-2> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<4x4xi1>) -> tensor<2x4x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %7 = stablehlo.select %5, %6, %arg0 : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    return %7 : tensor<2x4x4xf32>
  }
  func.func private @block_2(%arg0: tensor<2x1x1xf32>, %arg1: tensor<2x1x3xf32>, %arg2: tensor<2x3x1xf32>, %arg3: tensor<2x3x3xf32>) -> tensor<2x4x4xf32> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 2 : (tensor<2x1x1xf32>, tensor<2x1x3xf32>) -> tensor<2x1x4xf32>
    %1 = stablehlo.concatenate %arg2, %arg3, dim = 2 : (tensor<2x3x1xf32>, tensor<2x3x3xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<2x1x4xf32>, tensor<2x3x4xf32>) -> tensor<2x4x4xf32>
    return %2 : tensor<2x4x4xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x8624353CEE0A993FD9AC583F5C67373FE0E6003F349FCB3EF0A06E3EF753673E657D7D3F1A1103BFEE2ADE3FB195D9BD02427C3F5FD0B8BD03967CBE3F10024071629EBED77BA3BF17CE36BFB46BA2BEAAEE0940D4B7533E61496F3F6D3480BF1389B43E01E62B3FB69BE63FC83E32BF497E1A3F47EC9A3E8CC782BFAF629FBC"> : tensor<2x4x4xf32>
    %a1 = stablehlo.constant dense<"0x2FE686BECAD214C06142193F654D0A3F10BCE0BEFF55ABBFBC6CBD3F0F31883E4523823F6D85B43F265A05BF5CE94F3FC4EF76BE811980BD3E57AFBD08E0ACBA3F968E3F4A99FD3D1E6C1DBE4A968DBEBAC0AE3E131665BF39AE00BF2A2456BD6FDB10BFA0A3F2BDDF5B1CBFD8400040AA1EAA3F2160E63E179F5BBD7B350C40"> : tensor<2x4x4xf32>
    %a2 = stablehlo.constant dense<"0x155AA53E0FDCB1BD61339B3E97A49C3E4A85B43FD85B9BBC575B064025CC61BF46AD313FDC3B80BFC496E83FE03FA9BEE0576EBDCA9A6C3F01AFA03FFB518EBFC03BB1BED98CB2BFB9990C3E679CCFBD7BA7B2BEDC382FBF8895C5BEC4133FBF0B6A073FA70AC23FF821F7BF6180EDBD9C1AD6BEBC17FC3E01A773BF46F315BE"> : tensor<2x4x4xf32>
    %r:9 = call @main(%a0, %a1, %a2) : (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2xf32>, tensor<2x2x4x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>)
    %e0 = stablehlo.constant dense<"0xB623353CEC0A993FD9AC583F5967373FDEE6003F379FCB3E00A16E3E0554673E617D7D3F191103BFF52ADE3FED95D9BDFA417C3F32D0B8BD20967CBE4010024070629EBEDB7BA3BF25CE36BFBF6BA2BEB0EE0940E9B7533E62496F3F713480BF1B89B43E0FE62B3FC19BE63FC43E32BF507E1A3F53EC9A3E8AC782BF4E639FBC"> : tensor<2x4x4xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %e1 = stablehlo.constant dense<"0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x4x4xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %e2 = stablehlo.constant dense<"0x62A7854092FCD63F"> : tensor<2xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<2xf32>, tensor<2xf32>
    %e3 = stablehlo.constant dense<"0x31E686BEC9D214C05842193F5E4D0A3FFEBBE0BEFF55ABBFBA6CBD3F0A31883E4223823F6A85B43F1E5A05BF5EE94F3FBFEF76BE921980BDF856AFBD00E0ACBA44968E3F8899FD3D4E6C1DBE4D968DBEB8C0AE3E121665BF40AE00BF482456BD61DB10BF90A3F2BDDE5B1CBFD6400040B11EAA3F2560E63E20A05BBD78350C401A5AA53E3CDCB1BD74339B3EA3A49C3E5285B43F805B9BBC575B064026CC61BF47AD313FD13B80BFC496E83FE33FA9BE28576EBDC99A6C3F02AFA03FFA518EBFD23BB1BEE38CB2BFD0990C3E7A9CCFBD87A7B2BEE0382FBF8095C5BEC2133FBF166A073FAF0AC23F0022F7BF7080EDBD9D1AD6BEBC17FC3E04A773BF44F315BE"> : tensor<2x2x4x4xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>
    %e4 = stablehlo.constant dense<"0x0F7F433FBB9FB83F622DE43F019F5E40EFB90F3F8D19C93F109FD63FF9B43B40"> : tensor<2x4xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 2.0e-5 : tensor<2x4xf32>, tensor<2x4xf32>
    %e5 = stablehlo.constant dense<"0x8624353CA4FDB8BF5F6DCCBEDB2124BFFB11BEBF4609C33F5B9D09BF90D42ABF000000001F2044BEF002DD3F74774ABF0000000000000000DA5DEBBE124E6A3F71629EBEF08CB43F9721FB3E0884DC3D2F0111C03A0A603E95A8353FE9AA9E3F00000000C50F373F6322A63FF711573F00000000000000006E1DB63FF3C5F13E"> : tensor<2x4x4xf32>
    check.expect_almost_eq %r#5, %e5, tolerance = 2.0e-5 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %e6 = stablehlo.constant dense<"0x0000803F00000000000000000000000000000000389DADBE578CCCBEB9095ABF0000000080B52ABF0E5B09BF9264043F000000001CE129BFAC493E3F66FDACBD0000803F00000000000000000000000000000000988373BFDA1D3E3E32487CBE00000000385D1FBE65757ABFFBAA0BBE000000003E6088BED62FBBBDCBA3753F"> : tensor<2x4x4xf32>
    check.expect_almost_eq %r#6, %e6, tolerance = 2.0e-5 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %e7 = stablehlo.constant dense<"0x2FE686BEDCB03C3FE2CCEEBFE37E203F9027F83F7A1F833FCA88A13E506723BE000000000144114025BF8FBFFADE7D3F0000000000000000DE3AEA3F9F8EE1BF3F968E3F5EFD003F94299F3E09AC973F5066D5BFD54F8A3F7ACAAD3EE22C03BF000000003AF15240926D503FCC18463F00000000000000000B6F1F3FA2D49ABF155AA53E472CADBF0012FEBCA04F48BD00000000A486503FF6608B3FB5BF1ABF00000000000000009072553FC2EC96BF000000000000000000000000814A76BFC03BB1BE1C2ED63EA8352ABE88D6BABE00000000462950BF9C4C93BC746C43BE0000000000000000F905C5BF9C9C9A3E000000000000000000000000D088D1BE"> : tensor<2x2x4x4xf32>
    check.expect_almost_eq %r#7, %e7, tolerance = 2.0e-5 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>
    %e8 = stablehlo.constant dense<"0x0000803F00000000000000000000000000000000F0D667BE758DF93E0758D4BE000000008A40063FEA6BC4BE24420ABD0000000059BEFEBD693BF4BE1628D0BE0000803F0000000000000000000000000000000060A351BE75B2C23D8932BD3E000000004BC6AD3E81B558BF5063093E000000008E144CBF7083F3BE90BB5C3D0000000000000000000000000000000000000000553A3A3F4777B63DC438393D000000004D4BB73E0E160C3F43ADC5BE00000000E2E0F5BC591E913E2EE7363F00000000000000000000000000000000000000008551563EB808543DA60E603F000000005272A2BEF2A1013E8C783B3E00000000256C803EBBBD2FBED45E54BE"> : tensor<2x2x4x4xf32>
    check.expect_almost_eq %r#8, %e8, tolerance = 2.0e-5 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>
    return
  }
}
