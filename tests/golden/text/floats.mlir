// RUN: print
// Six decimals when they say it all, as many more as it takes otherwise; NaN and infinities by their bits.
func.func @floats() -> (tensor<9xf32>, tensor<6xf64>, tensor<4xf16>) {
  %0 = stablehlo.constant dense<[1.0, 0.1, 16777217.0, 3.14159274, 1.0e-45, 3.40282347e38, 0x7FC00000, 0xFF800000, -0.0]> : tensor<9xf32>
  %1 = stablehlo.constant dense<[0.1, 0.30000000000000004, 5.0e-324, 1.0e400, 123456.789, 0x7FF8000000000001]> : tensor<6xf64>
  %2 = stablehlo.constant dense<[65504.0, 6.0e-8, 0.333, 1.0e5]> : tensor<4xf16>
  return %0, %1, %2 : tensor<9xf32>, tensor<6xf64>, tensor<4xf16>
}
// ----- becomes
func.func @floats() -> (tensor<9xf32>, tensor<6xf64>, tensor<4xf16>) {
  %cst = stablehlo.constant dense<[1.000000e+00, 1.000000e-01, 1.6777216e+07, 3.1415927e+00, 1.401298e-45, 3.4028235e+38, 0x7FC00000, 0xFF800000, -0.000000e+00]> : tensor<9xf32>
  %cst_0 = stablehlo.constant dense<[1.000000e-01, 3.0000000000000004e-01, 4.940656e-324, 0x7FF0000000000000, 1.23456789e+05, 0x7FF8000000000001]> : tensor<6xf64>
  %cst_1 = stablehlo.constant dense<[6.550400e+04, 5.960464e-08, 3.330078e-01, 0x7C00]> : tensor<4xf16>
  return %cst, %cst_0, %cst_1 : tensor<9xf32>, tensor<6xf64>, tensor<4xf16>
}
