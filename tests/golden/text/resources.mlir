// RUN: print
// Constants whose bytes stand behind the module, after four bytes that say how they are aligned.
module {
  func.func @main() -> (tensor<3xi16>, tensor<2xf32>) {
    %0 = stablehlo.constant dense_resource<ints> : tensor<3xi16>
    %1 = "stablehlo.constant"() <{value = dense_resource<some_floats> : tensor<2xf32>}> : () -> tensor<2xf32>
    return %0, %1 : tensor<3xi16>, tensor<2xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      some_ints: "0x040000000000",
      ints: "0x02000000010002000300",
      some_floats: "0x040000000000803F00000040"
    }
  }
#-}
// ----- becomes
func.func @main() -> (tensor<3xi16>, tensor<2xf32>) {
  %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi16>
  %cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  return %c, %cst : tensor<3xi16>, tensor<2xf32>
}
