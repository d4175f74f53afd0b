// RUN: print
// Small constants whose elements are alike become splats from a list, not from hex; comments and line breaks stand anywhere.
func.func @main() -> (tensor<2x2xi32>, tensor<3xi8>,
                      tensor<2xf32>) {
  %0 = stablehlo.constant dense<[[7, 7],   // a row
                                 [7, 7]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<"0x050505"> : tensor<3xi8>
  %2 = stablehlo.constant dense<[0x3F800000, -1]> : tensor<2xf32>
  func.return %0, %1, %2
      : tensor<2x2xi32>, tensor<3xi8>, tensor<2xf32>
}
// ----- becomes
func.func @main() -> (tensor<2x2xi32>, tensor<3xi8>, tensor<2xf32>) {
  %c = stablehlo.constant dense<7> : tensor<2x2xi32>
  %c_0 = stablehlo.constant dense<"0x050505"> : tensor<3xi8>
  %cst = stablehlo.constant dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>
  return %c, %c_0, %cst : tensor<2x2xi32>, tensor<3xi8>, tensor<2xf32>
}
