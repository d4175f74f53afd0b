// A concatenation that is read, behind a condition, outside of all of its operands.
func.func @main(%x: tensor<9x33xi32>, %i: tensor<i32>) -> tensor<9x33xi32> {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<9x33xi32>
  %c = stablehlo.constant dense<9> : tensor<i32>
  %1 = stablehlo.add %i, %c : tensor<i32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.compare LT, %i, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %3 = stablehlo.select %2, %1, %i : tensor<i1>, tensor<i32>
  %c_1 = stablehlo.constant dense<2> : tensor<i32>
  %4 = stablehlo.dynamic_slice %0, %3, %c_1, sizes = [5, 13] : (tensor<9x33xi32>, tensor<i32>, tensor<i32>) -> tensor<5x13xi32>
  %5 = stablehlo.slice %x [8:9, 0:33] : (tensor<9x33xi32>) -> tensor<1x33xi32>
  %6 = stablehlo.slice %x [0:8, 0:33] : (tensor<9x33xi32>) -> tensor<8x33xi32>
  %7 = stablehlo.concatenate %5, %6, dim = 0 : (tensor<1x33xi32>, tensor<8x33xi32>) -> tensor<9x33xi32>
  %8 = stablehlo.slice %7 [0:9:2, 0:13] : (tensor<9x33xi32>) -> tensor<5x13xi32>
  %9 = stablehlo.subtract %8, %4 : tensor<5x13xi32>
  %10 = stablehlo.dynamic_update_slice %x, %9, %3, %c_1 : (tensor<9x33xi32>, tensor<5x13xi32>, tensor<i32>, tensor<i32>) -> tensor<9x33xi32>
  %11 = stablehlo.slice %10 [0:5, 0:23] : (tensor<9x33xi32>) -> tensor<5x23xi32>
  %12 = stablehlo.slice %10 [4:9, 0:33] : (tensor<9x33xi32>) -> tensor<5x33xi32>
  %13 = stablehlo.slice %10 [0:4, 0:33] : (tensor<9x33xi32>) -> tensor<4x33xi32>
  %14 = stablehlo.concatenate %12, %13, dim = 0 : (tensor<5x33xi32>, tensor<4x33xi32>) -> tensor<9x33xi32>
  %15 = stablehlo.dynamic_slice %14, %3, %c_1, sizes = [5, 23] : (tensor<9x33xi32>, tensor<i32>, tensor<i32>) -> tensor<5x23xi32>
  %16 = stablehlo.add %11, %15 : tensor<5x23xi32>
  %17 = stablehlo.reverse %16, dims = [1] : tensor<5x23xi32>
  %c_2 = stablehlo.constant dense<3> : tensor<i32>
  %18 = stablehlo.dynamic_update_slice %10, %17, %c_0, %c_2 : (tensor<9x33xi32>, tensor<5x23xi32>, tensor<i32>, tensor<i32>) -> tensor<9x33xi32>
  return %18 : tensor<9x33xi32>
}
func.func @inputs() -> (tensor<9x33xi32>, tensor<i32>) {
  %0 = stablehlo.iota dim = 1 : tensor<9x33xi32>
  %1 = stablehlo.constant dense<3> : tensor<i32>
  return %0, %1 : tensor<9x33xi32>, tensor<i32>
}
