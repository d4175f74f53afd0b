// RUN: print
// Ours are read as the op, those of others by their decomposition.
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3xi64>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.composite "weft.argmin" %x {composite_attributes = {attr = array<i64: 1>}, decomposition = @never} : (tensor<3x4xf32>) -> tensor<3xi64>
  %1 = stablehlo.composite "weft.fma" %x, %x, %x {decomposition = @never} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.composite "chlo.twice" %x {composite_attributes = {k = 1 : i64}, decomposition = @twice, version = 1 : i32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2 : tensor<3xi64>, tensor<3x4xf32>, tensor<3x4xf32>
}
func.func private @twice(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3xi64>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.composite "weft.argmin" %x {composite_attributes = {attr = array<i64: 1>}, decomposition = @weft.argmin_0} : (tensor<3x4xf32>) -> tensor<3xi64>
  %1 = stablehlo.composite "weft.fma" %x, %x, %x {decomposition = @weft.fma_1} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.add %x, %x : tensor<3x4xf32>
  return %0, %1, %2 : tensor<3xi64>, tensor<3x4xf32>, tensor<3x4xf32>
}
func.func private @weft.argmin_0(%arg0: tensor<3x4xf32>) -> tensor<3xi64> {
  %0 = stablehlo.iota dim = 1 : tensor<3x4xi64>
  %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %c = stablehlo.constant dense<0> : tensor<i64>
  %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<3xf32>, tensor<3xi64>)
   reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
    %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
    %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
    stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
  }
  return %1#1 : tensor<3xi64>
}
func.func private @weft.fma_1(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<3x4xf32>
  %1 = stablehlo.add %0, %arg2 : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}
