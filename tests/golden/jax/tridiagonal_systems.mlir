module @jit_tridiagonal_systems attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x7xf32>, %arg1: tensor<2x7x3xf32>) -> (tensor<2x7x3xf32> {jax.result_info = "result[0]"}, tensor<7x3xf32> {jax.result_info = "result[1]"}, tensor<2x7x3xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.slice %arg0 [0:3, 0:1, 0:7] : (tensor<3x2x7xf32>) -> tensor<3x1x7xf32>
    %1 = stablehlo.reshape %0 : (tensor<3x1x7xf32>) -> tensor<3x7xf32>
    %2 = stablehlo.slice %arg0 [0:3, 1:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<3x1x7xf32>
    %3 = stablehlo.reshape %2 : (tensor<3x1x7xf32>) -> tensor<3x7xf32>
    %4 = stablehlo.complex %1, %3 : tensor<3x7xcomplex<f32>>
    %5 = stablehlo.slice %4 [0:1, 0:7] : (tensor<3x7xcomplex<f32>>) -> tensor<1x7xcomplex<f32>>
    %6 = stablehlo.reshape %5 : (tensor<1x7xcomplex<f32>>) -> tensor<7xcomplex<f32>>
    %7 = stablehlo.slice %4 [1:2, 0:7] : (tensor<3x7xcomplex<f32>>) -> tensor<1x7xcomplex<f32>>
    %8 = stablehlo.reshape %7 : (tensor<1x7xcomplex<f32>>) -> tensor<7xcomplex<f32>>
    %9 = stablehlo.slice %4 [2:3, 0:7] : (tensor<3x7xcomplex<f32>>) -> tensor<1x7xcomplex<f32>>
    %10 = stablehlo.reshape %9 : (tensor<1x7xcomplex<f32>>) -> tensor<7xcomplex<f32>>
    %11 = stablehlo.slice %arg1 [0:1, 0:7, 0:3] : (tensor<2x7x3xf32>) -> tensor<1x7x3xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x7x3xf32>) -> tensor<7x3xf32>
    %13 = stablehlo.slice %arg1 [1:2, 0:7, 0:3] : (tensor<2x7x3xf32>) -> tensor<1x7x3xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x7x3xf32>) -> tensor<7x3xf32>
    %15 = stablehlo.complex %12, %14 : tensor<7x3xcomplex<f32>>
    %16:5 = stablehlo.custom_call @lapack_cgtsv_ffi(%6, %8, %10, %15) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 2, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 3, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n], [o], [p], [q, r], []) {i=7, j=7, k=7, l=7, m=3, n=7, o=7, p=7, q=7, r=3}, custom>} : (tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7x3xcomplex<f32>>) -> (tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7x3xcomplex<f32>>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %18 = stablehlo.compare EQ, %16#4, %17, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<7x3xcomplex<f32>>
    %21 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<7x3xi1>
    %22 = stablehlo.select %21, %16#3, %20 : tensor<7x3xi1>, tensor<7x3xcomplex<f32>>
    %23 = stablehlo.slice %arg0 [0:1, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %24 = stablehlo.reshape %23 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %25 = stablehlo.slice %arg0 [1:2, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %27 = stablehlo.slice %arg0 [2:3, 0:2, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x2x7xf32>
    %28 = stablehlo.reshape %27 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    %29:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%24, %26, %28, %arg1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 2, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 3, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [i, l], [i, m, n])->([i, o], [i, p], [i, q], [i, r, s], [i]) {i=2, j=7, k=7, l=7, m=7, n=3, o=7, p=7, q=7, r=7, s=3}, custom>} : (tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x3xf32>) -> (tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7xf32>, tensor<2x7x3xf32>, tensor<2xi32>)
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %31 = stablehlo.compare EQ, %29#4, %30, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x7x3xf32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x7x3xi1>
    %35 = stablehlo.select %34, %29#3, %33 : tensor<2x7x3xi1>, tensor<2x7x3xf32>
    %36 = stablehlo.slice %arg0 [0:1, 0:1, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x1x7xf32>
    %37 = stablehlo.reshape %36 : (tensor<1x1x7xf32>) -> tensor<7xf32>
    %38 = stablehlo.slice %arg0 [1:2, 0:1, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x1x7xf32>
    %39 = stablehlo.reshape %38 : (tensor<1x1x7xf32>) -> tensor<7xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %41 = stablehlo.add %40, %39 : tensor<7xf32>
    %42 = stablehlo.slice %arg0 [2:3, 0:1, 0:7] : (tensor<3x2x7xf32>) -> tensor<1x1x7xf32>
    %43 = stablehlo.reshape %42 : (tensor<1x1x7xf32>) -> tensor<7xf32>
    %44 = stablehlo.slice %arg1 [0:1, 0:7, 0:3] : (tensor<2x7x3xf32>) -> tensor<1x7x3xf32>
    %45 = stablehlo.reshape %44 : (tensor<1x7x3xf32>) -> tensor<7x3xf32>
    %46:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%37, %41, %43, %45) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 2, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 3, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [k], [l, m])->([n], [o], [p], [q, r], []) {i=7, j=7, k=7, l=7, m=3, n=7, o=7, p=7, q=7, r=3}, custom>} : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7x3xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<i32>)
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %47 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<i32>
    %48 = stablehlo.compare EQ, %46#4, %47, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %49 = stablehlo.broadcast_in_dim %48, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7x3xf32>
    %51 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<7x3xi1>
    %52 = stablehlo.select %51, %46#3, %50 : tensor<7x3xi1>, tensor<7x3xf32>
    %53 = stablehlo.real %22 : (tensor<7x3xcomplex<f32>>) -> tensor<7x3xf32>
    %54 = stablehlo.imag %22 : (tensor<7x3xcomplex<f32>>) -> tensor<7x3xf32>
    %55 = stablehlo.broadcast_in_dim %53, dims = [1, 2] : (tensor<7x3xf32>) -> tensor<1x7x3xf32>
    %56 = stablehlo.broadcast_in_dim %54, dims = [1, 2] : (tensor<7x3xf32>) -> tensor<1x7x3xf32>
    %57 = stablehlo.concatenate %55, %56, dim = 0 : (tensor<1x7x3xf32>, tensor<1x7x3xf32>) -> tensor<2x7x3xf32>
    return %35, %52, %57 : tensor<2x7x3xf32>, tensor<7x3xf32>, tensor<2x7x3xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x5B1185BFCA5A323F7F50CB3D975925BE4689BD3E1F667CBE9BE3C6BFCA81183F2698933E0BC71DBE0A247C3FAAF79B3FEBCF8BBF9AF447BF700DC63FF09CB53F55073DBF822197BFA13723BF1D09FFBEABC2CABF7752FF3CE7DCA3BF0CEE9ABFF3856A3F7EE52EBF7C5F92BD750C213F742F503FE78DACBE88B4343DCF4D53BF23AADF3F1C63263FF6368DBFB6F8843B53AB363F5B75F53E3F22EA3F27A8AF3FFD0F0ABF44A4B6BD"> : tensor<3x2x7xf32>
    %a1 = stablehlo.constant dense<"0x8C09A4BF9A707F3E44A51A3EDD052D4075D5C73DD9F705C0DC0D2CBF5817E63D1CC5A0BF53015EBF9E34BBBEEF01AF3E6B4F29BEBEA463BF7AA5493FAE250ABF69A5FFBE6C98B0BF543849BF81DA263F530FCFBF84C391BDD4BC373F6114C1BEA58B753E1BF38EBF30B7A73F38EF8C3FAC26713E6DA6E0BF18E285BF36097A3F8D47DB3FFBDD973E26A89F3F45961BBFB5EE41BE4175963A23A0D83E08B0C3BF8BCF703F3549A93F"> : tensor<2x7x3xf32>
    %r:3 = call @main(%a0, %a1) : (tensor<3x2x7xf32>, tensor<2x7x3xf32>) -> (tensor<2x7x3xf32>, tensor<7x3xf32>, tensor<2x7x3xf32>)
    %e0 = stablehlo.constant dense<"0x0B892CC0C0D54C3E7795713F4A6B6340D83E97BD110ECEBF71BEAE3FE3663FBE133BB13F630CC3BE16CED4BE7A27D6BFA50CAA3FDB7B893F26A9DA3F130FF13E470CEDBC0FDAB63F6ECA0C3DDD21C4BEE895C2BEDB6F07C0D139B24152523CC14493A4BFB251B840E1EC21C04DD18EBF18006DBECA55034072FE6EBF8509E13F99FD343F9238FE3EF04163BE64C205BFA368A53F593A43BF9955AABF9A6253BF7A650C3F0A70E63E"> : tensor<2x7x3xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<2x7x3xf32>, tensor<2x7x3xf32>
    %e1 = stablehlo.constant dense<"0x62AF9DBE9F532F3DD32AB63D4F63063F58DD713C2B93D7BEDB0B5FBEB1C5143DA1F5BFBE00B79FBE75FD2FBEB144483E2F7FE33C55C91ABEA38CA73E73E2A7BD20F939BEB2A661BE4692C1BE3FA51C3EADB14FBF"> : tensor<7x3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<7x3xf32>, tensor<7x3xf32>
    %e2 = stablehlo.constant dense<"0x508191BFB63858BEDB11023FD385103F40783B3FE64548BF5E8411BF1613963C089BB13F2E21B9BE4EBD843F36DAD2BCB4CE343FBE94FEBDF3338A3E470A5C3FCFF4D0BE8822043F6BE219BF325C093E71F481BC4D2F45BFB8112C3F544A193DC799B53F3BA1C8BE3EED0CBFCFAD26BF8420053E46225D3E682A963F97493F3ECBCD2F3FD2D64E3EFF1D14BF82F05FBF7A7E1BBEC21F433CD6138CBFDD2DE73ECDB6B3BED748B6BC"> : tensor<2x7x3xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<2x7x3xf32>, tensor<2x7x3xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x5B1185BFCA5A323F7F50CB3D975925BE4689BD3E1F667CBE9BE3C6BFCA81183F2698933E0BC71DBE0A247C3FAAF79B3FEBCF8BBF9AF447BF700DC63FF09CB53F55073DBF822197BFA13723BF1D09FFBEABC2CABF7752FF3CE7DCA3BF0CEE9ABFF3856A3F7EE52EBF7C5F92BD750C213F742F503FE78DACBE88B4343DCF4D53BF23AADF3F1C63263FF6368DBFB6F8843B53AB363F5B75F53E3F22EA3F27A8AF3FFD0F0ABF44A4B6BD"> : tensor<3x2x7xf32>
    %a1 = stablehlo.constant dense<"0x8C09A4BF9A707F3E44A51A3EDD052D4075D5C73DD9F705C0DC0D2CBF5817E63D1CC5A0BF53015EBF9E34BBBEEF01AF3E6B4F29BEBEA463BF7AA5493FAE250ABF69A5FFBE6C98B0BF543849BF81DA263F530FCFBF84C391BDD4BC373F6114C1BEA58B753E1BF38EBF30B7A73F38EF8C3FAC26713E6DA6E0BF18E285BF36097A3F8D47DB3FFBDD973E26A89F3F45961BBFB5EE41BE4175963A23A0D83E08B0C3BF8BCF703F3549A93F"> : tensor<2x7x3xf32>
    %a2 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE596F0B3FF27C853F63EC53BE8E4250BF42FFB13EA17C7D3E"> : tensor<2x7x3xf32>
    %a3 = stablehlo.constant dense<"0xE6A58C3F256DA4BF775F29BF1C9256BF33F4DDBF0F78013E2D1E073F58213DBFE25CB13FA269523FBF9B203F8DACCD3EC3A6743F517EAABF7E2A1D3F954F1A3F9A44E2BFEEADB13E3A3780BEDF11483FC2CCE0BE"> : tensor<7x3xf32>
    %a4 = stablehlo.constant dense<"0xDA6D95BC3C8AAF3EB05260BFA13D193FF1F6D6BDAF26FC3E259705BFA7088B3F84EE1A3F314C36BEF2C7213FA83FA13F3D45E53FF36AC9BFED14623F761DEE3E153AC0BD66DA80BF8EEBA03FA180A1BF5723113F9CA3A63FF7C1CCBF9EE39ABE6B94A7BF52E9793E0BD7C13FF18101404199E3BFDC2F13BF881B343FE228CA3FECA8D73ED1033FBF9F21983EFE2488BC68A150BE4C063CBFE946C63E66A29D3E766EBEBD2A0263BE"> : tensor<2x7x3xf32>
    %r:2 = enzyme.autodiff @main(%a0, %a1, %a2, %a3, %a4) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_activenoneed>]} : (tensor<3x2x7xf32>, tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<7x3xf32>, tensor<2x7x3xf32>) -> (tensor<3x2x7xf32>, tensor<2x7x3xf32>)
    %e0 = stablehlo.constant dense<"0x00000000925517C07E473C40F9DDC3BFB4EA533ECAB274402B80B83F00000000C902C7C0AA9206C0CEBCD63E4BE4E1BF60C27BBF3A794A3F0C7FF73FE2DA1540C8E82A40353E8C3EB0F4AF3F11870240AC2AF6BE372811C4D80525C091041040607FC43F2D81EE3E8FCC18C0D2A581BF7514F8BFE02B54BF5C9C753F80C00CBDDE30CB3F2C48263F00000000609B33C3C090413F1E0B1B3FBD18A0BEC827783F4DA16F3F00000000"> : tensor<3x2x7xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 1.2e-02 : tensor<3x2x7xf32>, tensor<3x2x7xf32>
    %e1 = stablehlo.constant dense<"0x367D6B3FE2C8863FA01C823D147EB0BFD7E345BF0077813DE0533DBDD0F57ABF98454DBE8775763FDA7FA5BF084095BD0B01F2BF646A323F60E8E23CA2546CC0B83B2D3FFB0FF43E3CA711C0AB5C413FD8C0A13E532B66C22732CE407820C4C16493183E90F3863F96B3EA3E4E1BE03F6EBF703FD972B0BEBE39E23E2EDB86BFB0F2223EC8BC10BF9FF26B3EF27E853E0647803D4C6F1DBF7807053D775A9ABFF8124BBFA58B123F"> : tensor<2x7x3xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 1.2e-03 : tensor<2x7x3xf32>, tensor<2x7x3xf32>
    return
  }
}
