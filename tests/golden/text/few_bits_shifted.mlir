// RUN: simplify
// An arithmetic shift of an unsigned number takes its highest bit for a sign, of 2 and 4 bits as of 8; as XLA.
func.func @main() -> (tensor<4xui4>, tensor<4xui2>, tensor<4xi4>, tensor<4xui8>, tensor<4xui4>) {
  %a = stablehlo.constant dense<[14, 8, 3, 8]> : tensor<4xui4>
  %b = stablehlo.constant dense<[3, 2, 1, 2]> : tensor<4xui2>
  %c = stablehlo.constant dense<[-2, -8, 3, -8]> : tensor<4xi4>
  %d = stablehlo.constant dense<[224, 128, 48, 128]> : tensor<4xui8>
  %k = stablehlo.constant dense<[1, 1, 1, 15]> : tensor<4xui4>
  %l = stablehlo.constant dense<[1, 1, 1, 3]> : tensor<4xui2>
  %m = stablehlo.constant dense<[1, 1, 1, 7]> : tensor<4xi4>
  %n = stablehlo.constant dense<[1, 1, 1, 15]> : tensor<4xui8>
  %0 = stablehlo.shift_right_arithmetic %a, %k : tensor<4xui4>
  %1 = stablehlo.shift_right_arithmetic %b, %l : tensor<4xui2>
  %2 = stablehlo.shift_right_arithmetic %c, %m : tensor<4xi4>
  %3 = stablehlo.shift_right_arithmetic %d, %n : tensor<4xui8>
  %4 = stablehlo.shift_right_logical %a, %k : tensor<4xui4>
  return %0, %1, %2, %3, %4 : tensor<4xui4>, tensor<4xui2>, tensor<4xi4>, tensor<4xui8>, tensor<4xui4>
}
// ----- becomes
func.func @main() -> (tensor<4xui8>, tensor<4xui8>, tensor<4xi8>, tensor<4xui8>, tensor<4xui8>) {
  %c = stablehlo.constant dense<[15, 12, 1, 15]> : tensor<4xui8>
  %c_0 = stablehlo.constant dense<[3, 3, 0, 3]> : tensor<4xui8>
  %c_1 = stablehlo.constant dense<[-1, -4, 1, -1]> : tensor<4xi8>
  %c_2 = stablehlo.constant dense<[240, 192, 24, 255]> : tensor<4xui8>
  %c_3 = stablehlo.constant dense<[7, 4, 1, 0]> : tensor<4xui8>
  return %c, %c_0, %c_1, %c_2, %c_3 : tensor<4xui8>, tensor<4xui8>, tensor<4xi8>, tensor<4xui8>, tensor<4xui8>
}
