module @jit_complex_reflections attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x3xf32>) -> (tensor<2x5x3xf32> {jax.result_info = "result[0]"}, tensor<2x3x3xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:5, 0:3] : (tensor<2x5x3xf32>) -> tensor<1x5x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x5x3xf32>) -> tensor<5x3xf32>
    %2 = stablehlo.slice %arg0 [1:2, 0:5, 0:3] : (tensor<2x5x3xf32>) -> tensor<1x5x3xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x5x3xf32>) -> tensor<5x3xf32>
    %4 = stablehlo.complex %1, %3 : tensor<5x3xcomplex<f32>>
    %5:2 = call @qr(%4) : (tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>)
    %6 = stablehlo.real %5#0 : (tensor<5x3xcomplex<f32>>) -> tensor<5x3xf32>
    %7 = stablehlo.imag %5#0 : (tensor<5x3xcomplex<f32>>) -> tensor<5x3xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [1, 2] : (tensor<5x3xf32>) -> tensor<1x5x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<5x3xf32>) -> tensor<1x5x3xf32>
    %10 = stablehlo.concatenate %8, %9, dim = 0 : (tensor<1x5x3xf32>, tensor<1x5x3xf32>) -> tensor<2x5x3xf32>
    %11 = stablehlo.real %5#1 : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>
    %12 = stablehlo.imag %5#1 : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %15 = stablehlo.concatenate %13, %14, dim = 0 : (tensor<1x3x3xf32>, tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    return %10, %15 : tensor<2x5x3xf32>, tensor<2x3x3xf32>
  }
  func.func private @qr(%arg0: tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) {
    %0:2 = stablehlo.custom_call @lapack_cgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3xcomplex<f32>>)
    %1 = stablehlo.custom_call @lapack_cungqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=3, k=3, l=5, m=3}, custom>} : (tensor<5x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<5x3xcomplex<f32>>
    %2 = stablehlo.slice %0#0 [0:3, 0:3] : (tensor<5x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi32>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %9 = stablehlo.select %7, %8, %2 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    return %1, %9 : tensor<5x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x5EF4253F045143BFB8F2B83D5A3218C06AE02B3F329529BF40115F3F6CE0EBBF7038313F36A072BE1FBF4E3F51FB6CBF33531EBF53840F40BE7754BF33BE34BF299C8DBE34E382BFE360983F3CCDDC3F4C4034BF9FEEDCBF5A03963FBEDF8D3F4258523F9108943F23165EBF538A2CBE812AB1BF5C86B5BF"> : tensor<2x5x3xf32>
    %r:2 = call @main(%a0) : (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3x3xf32>)
    %e0 = stablehlo.constant dense<"0x700639BE768038BD80D2CE3DB1AF293FDBC056BE7857F43D78B378BE7BD428BEFD03643EE640873D8742973D0026F03ED284303EAC6B1D3F7915403E5183493EEAA702BD0175263F93E3A9BE54994C3EB018DEBC0752F63E8885A93EAB9E8CBE35846ABEE3EBB83ED0B9BB3E235E403D7A1603BF8E0E463E"> : tensor<2x5x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2x5x3xf32>, tensor<2x5x3xf32>
    %e1 = stablehlo.constant dense<"0x309D65C015EB893F7A2305BE00000000B94060402401E93D00000000000000004F1603C000000000107B0540B05BCCBF0000000000000000E00C8EBF000000000000000000000000"> : tensor<2x3x3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<2x3x3xf32>, tensor<2x3x3xf32>
    return
  }
}
