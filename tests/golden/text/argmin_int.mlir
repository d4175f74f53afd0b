// RUN: raise
// Over integers the test for NaN is there too, or not.
func.func @main(%x: tensor<3x4xi8>) -> tensor<3xi32> {
  %at = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %c = stablehlo.constant dense<127> : tensor<i8>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %c), (%at init: %c_0) across dimensions = [1] : (tensor<3x4xi8>, tensor<3x4xi32>, tensor<i8>, tensor<i32>) -> (tensor<3xi8>, tensor<3xi32>)
   reducer(%a: tensor<i8>, %b: tensor<i8>) (%i: tensor<i32>, %j: tensor<i32>)  {
  %p = stablehlo.compare  LT, %a, %b,  SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %n = stablehlo.compare  NE, %a, %a,  SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %pn = stablehlo.or %p, %n : tensor<i1>
    %e = stablehlo.compare  EQ, %a, %b,  SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %f = stablehlo.compare  LT, %i, %j,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %t = stablehlo.and %e, %f : tensor<i1>
    %k = stablehlo.or %pn, %t : tensor<i1>
    %v = stablehlo.select %pn, %a, %b : tensor<i1>, tensor<i8>
    %w = stablehlo.select %k, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<i8>, tensor<i32>
  }
  return %0#1 : tensor<3xi32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xi8>) -> tensor<3xi32> {
  %0 = stablehlo.composite "weft.argmin" %x {composite_attributes = {attr = array<i64: 1>}, decomposition = @weft.argmin_0} : (tensor<3x4xi8>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
func.func private @weft.argmin_0(%arg0: tensor<3x4xi8>) -> tensor<3xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %c = stablehlo.constant dense<127> : tensor<i8>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<3x4xi8>, tensor<3x4xi32>, tensor<i8>, tensor<i32>) -> (tensor<3xi8>, tensor<3xi32>)
   reducer(%arg1: tensor<i8>, %arg3: tensor<i8>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
    %2 = stablehlo.compare LT, %arg1, %arg3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %4 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    %7 = stablehlo.select %2, %arg1, %arg3 : tensor<i1>, tensor<i8>
    %8 = stablehlo.select %6, %arg2, %arg4 : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<i8>, tensor<i32>
  }
  return %1#1 : tensor<3xi32>
}
