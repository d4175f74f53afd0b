module @parameters {
  func.func @main(%arg0: tensor<2xf8E5M2>, %arg1: tensor<2xf8E4M3>, %arg2: tensor<2xf8E4M3FN>, %arg3: tensor<2xf8E5M2FNUZ>, %arg4: tensor<2xf8E4M3FNUZ>, %arg5: tensor<2xf8E4M3B11FNUZ>, %arg6: tensor<2xf8E3M4>, %arg7: tensor<2xf4E2M1FN>, %arg8: tensor<2xf6E2M3FN>, %arg9: tensor<2xf6E3M2FN>, %arg10: tensor<2xf8E8M0FNU>) -> (tensor<2xf32>, tensor<2xi64>, tensor<3xi1>) {
    %cst = stablehlo.constant dense_resource<weights> : tensor<2xf32>
    %c = stablehlo.constant dense_resource<order> : tensor<2xi64>
    %c_0 = stablehlo.constant dense_resource<mask> : tensor<3xi1>
    %0 = stablehlo.convert %arg0 : (tensor<2xf8E5M2>) -> tensor<2xf32>
    %1 = stablehlo.add %cst, %0 : tensor<2xf32>
    %2 = stablehlo.convert %arg1 : (tensor<2xf8E4M3>) -> tensor<2xf32>
    %3 = stablehlo.add %1, %2 : tensor<2xf32>
    %4 = stablehlo.convert %arg2 : (tensor<2xf8E4M3FN>) -> tensor<2xf32>
    %5 = stablehlo.add %3, %4 : tensor<2xf32>
    %6 = stablehlo.convert %arg3 : (tensor<2xf8E5M2FNUZ>) -> tensor<2xf32>
    %7 = stablehlo.add %5, %6 : tensor<2xf32>
    %8 = stablehlo.convert %arg4 : (tensor<2xf8E4M3FNUZ>) -> tensor<2xf32>
    %9 = stablehlo.add %7, %8 : tensor<2xf32>
    %10 = stablehlo.convert %arg5 : (tensor<2xf8E4M3B11FNUZ>) -> tensor<2xf32>
    %11 = stablehlo.add %9, %10 : tensor<2xf32>
    %12 = stablehlo.convert %arg6 : (tensor<2xf8E3M4>) -> tensor<2xf32>
    %13 = stablehlo.add %11, %12 : tensor<2xf32>
    %14 = stablehlo.convert %arg7 : (tensor<2xf4E2M1FN>) -> tensor<2xf32>
    %15 = stablehlo.add %13, %14 : tensor<2xf32>
    %16 = stablehlo.convert %arg8 : (tensor<2xf6E2M3FN>) -> tensor<2xf32>
    %17 = stablehlo.add %15, %16 : tensor<2xf32>
    %18 = stablehlo.convert %arg9 : (tensor<2xf6E3M2FN>) -> tensor<2xf32>
    %19 = stablehlo.add %17, %18 : tensor<2xf32>
    %20 = stablehlo.convert %arg10 : (tensor<2xf8E8M0FNU>) -> tensor<2xf32>
    %21 = stablehlo.add %19, %20 : tensor<2xf32>
    return %21, %c, %c_0 : tensor<2xf32>, tensor<2xi64>, tensor<3xi1>
  }
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040",
      order: "0x0800000001000000000000000200000000000000",
      mask: "0x01000000010001"
    }
  }
#-}
