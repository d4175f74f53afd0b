// RUN: print
// Every form of a literal.
func.func @constants() -> (tensor<f32>, tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<4xf32>, tensor<2x0xf32>, tensor<f16>, tensor<bf16>, tensor<2xui64>, tensor<3xf64>, tensor<5xf32>) {
  %splat = stablehlo.constant dense<1.5> : tensor<f32>
  %nested = stablehlo.constant dense<[[1.0, -2.5e3], [0.1, 3]]> : tensor<2x2xf32>
  %ints = stablehlo.constant dense<[-128, 0, 0x7F]> : tensor<3xi8>
  %bools = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %hex = stablehlo.constant dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>
  %empty = stablehlo.constant dense<> : tensor<2x0xf32>
  %half = stablehlo.constant dense<0x7E00> : tensor<f16>
  %brain = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %wide = stablehlo.constant dense<[0, 18446744073709551615]> : tensor<2xui64>
  %doubles = stablehlo.constant dense<[1.0e-320, 1.7976931348623157e308, 0.1]> : tensor<3xf64>
  %one = stablehlo.constant dense<2.0> : tensor<5xf32>
  return %splat, %nested, %ints, %bools, %hex, %empty, %half, %brain, %wide, %doubles, %one : tensor<f32>, tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<4xf32>, tensor<2x0xf32>, tensor<f16>, tensor<bf16>, tensor<2xui64>, tensor<3xf64>, tensor<5xf32>
}
// ----- becomes
func.func @constants() -> (tensor<f32>, tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<4xf32>, tensor<2x0xf32>, tensor<f16>, tensor<bf16>, tensor<2xui64>, tensor<3xf64>, tensor<5xf32>) {
  %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
  %cst_0 = stablehlo.constant dense<[[1.000000e+00, -2.500000e+03], [1.000000e-01, 3.000000e+00]]> : tensor<2x2xf32>
  %c = stablehlo.constant dense<[-128, 0, 127]> : tensor<3xi8>
  %c_0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %cst_1 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
  %cst_2 = stablehlo.constant dense<> : tensor<2x0xf32>
  %cst_3 = stablehlo.constant dense<0x7E00> : tensor<f16>
  %cst_4 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %c_1 = stablehlo.constant dense<[0, 18446744073709551615]> : tensor<2xui64>
  %cst_5 = stablehlo.constant dense<[9.999889e-321, 1.7976931348623157e+308, 1.000000e-01]> : tensor<3xf64>
  %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<5xf32>
  return %cst, %cst_0, %c, %c_0, %cst_1, %cst_2, %cst_3, %cst_4, %c_1, %cst_5, %cst_6 : tensor<f32>, tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<4xf32>, tensor<2x0xf32>, tensor<f16>, tensor<bf16>, tensor<2xui64>, tensor<3xf64>, tensor<5xf32>
}
