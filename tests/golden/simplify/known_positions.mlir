// RUN: simplify
// Starts that are constants are clamped now; where a slice takes a whole axis its start says nothing; an int that was a bool is one.
func.func @main(%x: tensor<5x6xf32>, %i: tensor<i32>, %p: tensor<i1>) -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<5x6xf32>, tensor<i1>) {
  %far = stablehlo.constant dense<9> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %far, %i, sizes = [2, 6] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  %1 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 6] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  %2 = stablehlo.negate %x : tensor<5x6xf32>
  %3 = stablehlo.dynamic_update_slice %x, %2, %i, %i : (tensor<5x6xf32>, tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
  %4 = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>
  %5 = stablehlo.compare GT, %4, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0, %1, %3, %5 : tensor<2x6xf32>, tensor<2x6xf32>, tensor<5x6xf32>, tensor<i1>
}
// ----- becomes
func.func @main(%x: tensor<5x6xf32>, %i: tensor<i32>, %p: tensor<i1>) -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<5x6xf32>, tensor<i1>) {
  %0 = stablehlo.slice %x [3:5, 0:6] : (tensor<5x6xf32>) -> tensor<2x6xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.dynamic_slice %x, %i, %c, sizes = [2, 6] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  %2 = stablehlo.negate %x : tensor<5x6xf32>
  return %0, %1, %2, %p : tensor<2x6xf32>, tensor<2x6xf32>, tensor<5x6xf32>, tensor<i1>
}
