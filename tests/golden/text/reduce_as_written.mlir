// RUN: print
// The mark keeps a region from being read as the monoid that it is.
func.func @main(%x: tensor<3x4xi32>) -> tensor<3xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [1] {weft.region} : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
   reducer(%l: tensor<i32>, %r: tensor<i32>)  {
    %1 = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<3xi32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xi32>) -> tensor<3xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [1] {weft.region} : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
   reducer(%arg1: tensor<i32>, %arg2: tensor<i32>)  {
    %1 = stablehlo.add %arg1, %arg2 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<3xi32>
}
