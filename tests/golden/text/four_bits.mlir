// RUN: print
// Integers of 4 bits are held in 8 and wrap; at the door they are bytes. A sum's one op wraps when it is done.
func.func @main(%x: tensor<3xi4>, %y: tensor<3xui4>) -> (tensor<3xi4>, tensor<i4>, tensor<3xui4>, tensor<3xi4>) {
  %c = stablehlo.constant dense<[-8, 7, 0]> : tensor<3xi4>
  %0 = stablehlo.add %x, %c : tensor<3xi4>
  %1 = stablehlo.constant dense<0> : tensor<i4>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<3xi4>, tensor<i4>) -> tensor<i4>
  %3 = stablehlo.not %y : tensor<3xui4>
  %4 = stablehlo.popcnt %x : tensor<3xi4>
  return %0, %2, %3, %4 : tensor<3xi4>, tensor<i4>, tensor<3xui4>, tensor<3xi4>
}
// ----- becomes
func.func @main(%x: tensor<3xi8>, %y: tensor<3xui8>) -> (tensor<3xi8>, tensor<i8>, tensor<3xui8>, tensor<3xi8>) {
  %c = stablehlo.constant dense<4> : tensor<3xi8>
  %0 = stablehlo.shift_left %x, %c : tensor<3xi8>
  %1 = stablehlo.shift_right_arithmetic %0, %c : tensor<3xi8>
  %c_0 = stablehlo.constant dense<15> : tensor<3xui8>
  %2 = stablehlo.and %y, %c_0 : tensor<3xui8>
  %c_1 = stablehlo.constant dense<[-8, 7, 0]> : tensor<3xi8>
  %3 = stablehlo.add %1, %c_1 : tensor<3xi8>
  %4 = stablehlo.shift_left %3, %c : tensor<3xi8>
  %5 = stablehlo.shift_right_arithmetic %4, %c : tensor<3xi8>
  %c_2 = stablehlo.constant dense<0> : tensor<i8>
  %6 = stablehlo.reduce(%5 init: %c_2) applies stablehlo.add across dimensions = [0] : (tensor<3xi8>, tensor<i8>) -> tensor<i8>
  %c_3 = stablehlo.constant dense<4> : tensor<i8>
  %7 = stablehlo.shift_left %6, %c_3 : tensor<i8>
  %8 = stablehlo.shift_right_arithmetic %7, %c_3 : tensor<i8>
  %9 = stablehlo.not %2 : tensor<3xui8>
  %10 = stablehlo.and %9, %c_0 : tensor<3xui8>
  %c_4 = stablehlo.constant dense<15> : tensor<3xi8>
  %11 = stablehlo.and %1, %c_4 : tensor<3xi8>
  %12 = stablehlo.popcnt %11 : tensor<3xi8>
  %13 = stablehlo.shift_left %12, %c : tensor<3xi8>
  %14 = stablehlo.shift_right_arithmetic %13, %c : tensor<3xi8>
  return %5, %8, %10, %14 : tensor<3xi8>, tensor<i8>, tensor<3xui8>, tensor<3xi8>
}
