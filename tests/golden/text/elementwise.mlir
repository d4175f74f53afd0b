// RUN: print
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>) {
  %0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %1 = chlo.next_after %0, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.erf_inv %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.tan %2 : tensor<4xf32> -> tensor<4xf32>
  %4 = stablehlo.clamp %x, %3, %y : tensor<4xf32>
  %5 = stablehlo.popcnt %i : tensor<4xi32>
  %6 = stablehlo.is_finite %4 : (tensor<4xf32>) -> tensor<4xi1>
  %7 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %8 = stablehlo.and %6, %7 : tensor<4xi1>
  %9:2 = stablehlo.optimization_barrier %4, %5 : tensor<4xf32>, tensor<4xi32>
  return %9#0, %9#1, %8 : tensor<4xf32>, tensor<4xi32>, tensor<4xi1>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>) {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = chlo.next_after %0, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.erf_inv %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = stablehlo.tan %2 : tensor<4xf32>
  %4 = stablehlo.clamp %x, %3, %y : tensor<4xf32>
  %5 = stablehlo.popcnt %i : tensor<4xi32>
  %6 = stablehlo.is_finite %4 : (tensor<4xf32>) -> tensor<4xi1>
  %7 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %8 = stablehlo.and %6, %7 : tensor<4xi1>
  %9:2 = stablehlo.optimization_barrier %4, %5 : tensor<4xf32>, tensor<4xi32>
  return %9#0, %9#1, %8 : tensor<4xf32>, tensor<4xi32>, tensor<4xi1>
}
