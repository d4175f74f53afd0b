module @jit_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> (tensor<3x16xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x16xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<3x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<3x1xf32>
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x16xf32>
    %12 = stablehlo.subtract %arg0, %11 : tensor<3x16xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %14 = stablehlo.add %10, %13 : tensor<3x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<3x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x16xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<3x16xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<3x16xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<3x16xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<3x16xf32>
    %23 = stablehlo.add %20, %22 : tensor<3x16xf32>
    return %23 : tensor<3x16xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x063BE23D05A0823DA1CE9CBF69EF9B3DEDEDAD3FD608C6BF81005C3FE26FF43D673724BFD30600407423433F4C8299BFF79B983DEEA1133F1A5041BE35D32E3F3C3A88BDBCD02A3F8221B83F34F82CBF9103503EA736EDBEA752023EFEF597BF1C4D14BF99E748BE6415663FA296923F5C69A9BFAF6D4BBF769B253F9D07FFBF9A24EDBE5E3EC7BDDEE5A03FC67C303F8488A7BEFBB5BCBE9D1980BE0303C33F1626DBBEFF7B9BBE8E86B43E7F56F7BDE0044ABEC1998EBF8AC43CBC141DE3BE"> : tensor<3x16xf32>
    %a1 = stablehlo.constant dense<"0xAD43953FCF30273FD4C8C5BC051B2B3F6203AEBE14AC863FCCEEB0BB8C58153FFD3BA5BF0C80B13E1317D8BFD44202C065E49BBEA86166BF75FD273E18AA0F40"> : tensor<16xf32>
    %a2 = stablehlo.constant dense<"0xCFEB54BFC4BA1FBF6955523E3D6CFC3ECBA334BE67DF52BE9DD4333FAB18053F7D4F84BFD129A2BDF188103D5AF986BFA109853E09A35BBF5DD9783F2F5F453E"> : tensor<16xf32>
    %r:1 = call @main(%a0, %a1, %a2) : (tensor<3x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<3x16xf32>)
    %e0 = stablehlo.constant dense<"0x4A4357BF558429BF6F62763E87FBEC3E706E22BFCFEB06C096B7323FDF5D053F3073FA3C2630213F90BE92BF50A0ED3FA6588C3EB23CA7BF1BDF6A3F190AC93FD3F03EBF763E68BDDF33283EE626CF3D9EF799BEFFAA14BF4570333F05E814BEFEBCD2BE0CA2D1BD2E5EEDBFB71378C0F1EC263FE97B5BBE47338E3F8B6A8AC09A3CD0BF7CD633BF84EA213E301E9C3FE8627FBCEB4345BF3952343F5555F33F857764BEB63C6CBE3F686DBF32803CBFB3B6AF3EEA9B273F9253793FFC9AA2BF"> : tensor<3x16xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<3x16xf32>, tensor<3x16xf32>
    return
  }
  func.func @check_vjp() {
    %a0 = stablehlo.constant dense<"0x063BE23D05A0823DA1CE9CBF69EF9B3DEDEDAD3FD608C6BF81005C3FE26FF43D673724BFD30600407423433F4C8299BFF79B983DEEA1133F1A5041BE35D32E3F3C3A88BDBCD02A3F8221B83F34F82CBF9103503EA736EDBEA752023EFEF597BF1C4D14BF99E748BE6415663FA296923F5C69A9BFAF6D4BBF769B253F9D07FFBF9A24EDBE5E3EC7BDDEE5A03FC67C303F8488A7BEFBB5BCBE9D1980BE0303C33F1626DBBEFF7B9BBE8E86B43E7F56F7BDE0044ABEC1998EBF8AC43CBC141DE3BE"> : tensor<3x16xf32>
    %a1 = stablehlo.constant dense<"0xAD43953FCF30273FD4C8C5BC051B2B3F6203AEBE14AC863FCCEEB0BB8C58153FFD3BA5BF0C80B13E1317D8BFD44202C065E49BBEA86166BF75FD273E18AA0F40"> : tensor<16xf32>
    %a2 = stablehlo.constant dense<"0xCFEB54BFC4BA1FBF6955523E3D6CFC3ECBA334BE67DF52BE9DD4333FAB18053F7D4F84BFD129A2BDF188103D5AF986BFA109853E09A35BBF5DD9783F2F5F453E"> : tensor<16xf32>
    %a3 = stablehlo.constant dense<"0xB70D0C3D350CAE3FA9C39C3F7CA302BF768F98BEA70207BF96D9113FD3A365BDE5333F3F2475ECBFAC84C83F397EC5BD482D2E3F0CD80BBE3519C2BEC61CED3E5213533FFE634FBEFB731CBEF2892F3FA5CE5EBF52D7C1BF103BCA3E34AA2BBFB8CDF5BFD26550BFF268EFBEDCBA98BF0E09BFBF8C11163D21B2653F2DBA6EBE4F5C3EBFE91DC53EC49C373FFD9A99BE596F0B3FF27C853F63EC53BE8E4250BF42FFB13EA17C7D3EE6A58C3F256DA4BF775F29BF1C9256BF33F4DDBF0F78013E"> : tensor<3x16xf32>
    %r:3 = enzyme.autodiff @main(%a0, %a1, %a2, %a3) {activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>]} : (tensor<3x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<3x16xf32>) -> (tensor<3x16xf32>, tensor<16xf32>, tensor<16xf32>)
    %e0 = stablehlo.constant dense<"0xD068813E1DE9953FEF47CF3DCCD126BE55FBC73E23A9F9BEC4C57E3E2EA0323E866561BFADB1C1BE040728C0E224B23E10EB8FBC542EBD3E98B3FF3DF57DAF3F2A312D3FDA3B40BF32C95BBFEF5CAA3EF4F908BE12E4FABF23E8DCBE2B46D6BE935B1F4031C320BFA22A2F3E23C5EE3F96EB0A3F050224BEF602E2BEDB4C97BEB702D8BF765A7D3E9875243F64ADBA3C124A0FBFFA21B13F286E69BEC5B9CB3D7D2383BFDCF504BEFAEA2DC0D01177405976E33D5571D33E102406BF859FB93D"> : tensor<3x16xf32>
    check.expect_almost_eq %r#0, %e0, tolerance = 7.7e-05 : tensor<3x16xf32>, tensor<3x16xf32>
    %e1 = stablehlo.constant dense<"0x3445113F1B879ABE684024BF828534BF20497ABF99EC6E3FCFF4243FEAA594BF101BBB3DF12B75C0AE90993F6162A8BF849704407A44A83FEFB15D3FA2CD2B3F"> : tensor<16xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 7.7e-05 : tensor<16xf32>, tensor<16xf32>
    %e2 = stablehlo.constant dense<"0xF0BEEB3D2F67C53F8C03E53F4438FFBD07A71FBF68B77FBF05FC413F8023C5BFEB6753BF3C7C1AC02BA80C40F2BF24C026A2BCBF062770BF70A19BBFB77BB63E"> : tensor<16xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 5.1e-05 : tensor<16xf32>, tensor<16xf32>
    return
  }
}
