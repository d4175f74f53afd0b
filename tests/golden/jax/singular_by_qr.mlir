module @jit_singular_by_qr attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x3xf32>) -> (tensor<2x5x3xf32> {jax.result_info = "result[0]"}, tensor<2x3xf32> {jax.result_info = "result[1]"}, tensor<2x3x3xf32> {jax.result_info = "result[2]"}, tensor<2x3xf32> {jax.result_info = "result[3]"}) {
    %0:5 = stablehlo.custom_call @lapack_sgesvd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=5, k=3, l=5, m=3, n=3, o=5, p=3, q=3, r=3}, custom>} : (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x5x3xf32>, tensor<2x3x3xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x5x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x5x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<2x5x3xi1>, tensor<2x5x3xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %15 = stablehlo.abs %10 : tensor<2x5x3xf32>
    %16 = stablehlo.abs %14 : tensor<2x3x3xf32>
    %17:5 = stablehlo.custom_call @lapack_sgesvd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=5, k=3, l=5, m=3, n=3, o=5, p=5, q=3, r=3}, custom>} : (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x5x5xf32>, tensor<2x3x3xf32>, tensor<2xi32>)
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %19 = stablehlo.compare EQ, %17#4, %18, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst_3 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %23 = stablehlo.select %22, %17#1, %21 : tensor<2x3xi1>, tensor<2x3xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    %25 = stablehlo.slice %24 [0:1, 0:2, 0:3] : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %15, %6, %16, %26 : tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x3xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x1F82253F1DA3A43F07B4D8BF2E43C9BE3843D4BE22E52F3E2881E7BEF65F03BF0B71483F935C363E6B4B95BF1AD1AA3F242B7F3F05EF12BFCBCE543FA8333CBFE316903F270F5FBE14874DBF8A07BFBE760D44BF42C0443EC94E333E21A6123D5A7E0EBF2A4F6AC09920BE3DCFB7F2BF830C7A3ED9BD903F"> : tensor<2x5x3xf32>
    %r:4 = call @main(%a0) : (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x3xf32>)
    %e0 = stablehlo.constant dense<"0xA6FF313F8D34B73EFBD3803ED9790A3EF0DA8E3E5A194B3F4E549E3E6632903E89CBC83E09980F3FE685723EBCB4C33E3CE4973E5FC54F3F74C5AF3D7E72893E634C9D3E457ED93EB76FED3D6BD3393E3E84583F20D64D3D143C7E3DC36AAA3D2478743FFB82863DC31A313C973B9B3BEC066E3FAA9D9F3E"> : tensor<2x5x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2x5x3xf32>, tensor<2x5x3xf32>
    %e1 = stablehlo.constant dense<"0xC0C147409493A93F0DDA823E440A784018CD16402E3E963F"> : tensor<2x3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<2x3xf32>, tensor<2x3xf32>
    %e2 = stablehlo.constant dense<"0x5F04A23D91971E3F9FEF473F54F97E3F4DB8853C7C19B43DFEEC2A3D69EA483F78491E3FEB22E23D83697E3F8464583CC5306D3FF4A3DC3D7690B83EE925B83E3CD2E13CC3C36E3F"> : tensor<2x3x3xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<2x3x3xf32>, tensor<2x3x3xf32>
    %e3 = stablehlo.constant dense<"0xC0C147409593A93F0DDA823E430A784019CD16402D3E963F"> : tensor<2x3xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x1F82253F1DA3A43F07B4D8BF2E43C9BE3843D4BE22E52F3E2881E7BEF65F03BF0B71483F935C363E6B4B95BF1AD1AA3F242B7F3F05EF12BFCBCE543FA8333CBFE316903F270F5FBE14874DBF8A07BFBE760D44BF42C0443EC94E333E21A6123D5A7E0EBF2A4F6AC09920BE3DCFB7F2BF830C7A3ED9BD903F"> : tensor<2x5x3xf32>
    %a1 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D"> : tensor<2x5x3xf32>
    %a2 = stablehlo.constant dense<"0x21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE"> : tensor<2x3xf32>
    %a3 = stablehlo.constant dense<"0x596F0B3FF27C853F63EC53BE8E4250BF42FFB13EA17C7D3EE6A58C3F256DA4BF775F29BF1C9256BF33F4DDBF0F78013E2D1E073F58213DBFE25CB13FA269523FBF9B203F8DACCD3E"> : tensor<2x3x3xf32>
    %a4 = stablehlo.constant dense<"0xC3A6743F517EAABF7E2A1D3F954F1A3F9A44E2BFEEADB13E"> : tensor<2x3xf32>
    %r:1 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4) {activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x3xf32>) -> (tensor<2x5x3xf32>)
    %e0 = stablehlo.constant dense<"0xF0E2BF3EE636993F649451BFA3EF98BDCEDBB63D32CA273F3027583FB2A617BF32EA073F94EAEC3D32918BBFD040D73CCDF5F0BF9219043FC3498C3F00C2633CB78ED13E305A4B3D7C60CDBD62CF86BEE8D0CD3D86C3B9BDDD7B97BED6DE01BF07D0363D80736ABFFBFFB4BD7D069C3F3B5F05BF68FD833D"> : tensor<2x5x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 3.8e-05 : tensor<2x5x3xf32>, tensor<2x5x3xf32>
    return
  }
}
