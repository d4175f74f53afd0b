// RUN: raise
// Bools and unsigned indices; JAX's order of arguments in the reducer.
func.func @main(%arg0: tensor<15xi1>) -> tensor<ui8> {
  %0 = stablehlo.iota dim = 0 : tensor<15xui8>
  %c = stablehlo.constant dense<false> : tensor<i1>
  %c_0 = stablehlo.constant dense<0> : tensor<ui8>
  %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<15xi1>, tensor<15xui8>, tensor<i1>, tensor<ui8>) -> (tensor<i1>, tensor<ui8>)
   reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<ui8>, %arg4: tensor<ui8>)  {
    %2 = stablehlo.compare  GT, %arg1, %arg3,  UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %3 = stablehlo.compare  NE, %arg1, %arg1,  UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare  EQ, %arg1, %arg3,  UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %6 = stablehlo.compare  LT, %arg2, %arg4,  UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
    %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<ui8>
    stablehlo.return %9, %10 : tensor<i1>, tensor<ui8>
  }
  return %1#1 : tensor<ui8>
}
// ----- becomes
func.func @main(%arg0: tensor<15xi1>) -> tensor<ui8> {
  %0 = stablehlo.composite "weft.argmax" %arg0 {composite_attributes = {attr = array<i64: 0>}, decomposition = @weft.argmax_0} : (tensor<15xi1>) -> tensor<ui8>
  return %0 : tensor<ui8>
}
func.func private @weft.argmax_0(%arg0: tensor<15xi1>) -> tensor<ui8> {
  %0 = stablehlo.iota dim = 0 : tensor<15xui8>
  %c = stablehlo.constant dense<false> : tensor<i1>
  %c_0 = stablehlo.constant dense<0> : tensor<ui8>
  %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<15xi1>, tensor<15xui8>, tensor<i1>, tensor<ui8>) -> (tensor<i1>, tensor<ui8>)
   reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<ui8>, %arg4: tensor<ui8>)  {
    %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %4 = stablehlo.compare LT, %arg2, %arg4, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    %7 = stablehlo.select %2, %arg1, %arg3 : tensor<i1>, tensor<i1>
    %8 = stablehlo.select %6, %arg2, %arg4 : tensor<i1>, tensor<ui8>
    stablehlo.return %7, %8 : tensor<i1>, tensor<ui8>
  }
  return %1#1 : tensor<ui8>
}
