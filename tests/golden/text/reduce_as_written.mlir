// RUN: print
// Text is read as it is written: a region that is a monoid stays a region, and so does one from a start value of another kind.
func.func @main(%x: tensor<3x4xi32>) -> (tensor<3xi32>, tensor<4xi32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [1] : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
   reducer(%l: tensor<i32>, %r: tensor<i32>)  {
    %sum = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }
  %one = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [0] : (tensor<3x4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0, %1 : tensor<3xi32>, tensor<4xi32>
}
// ----- becomes
func.func @main(%x: tensor<3x4xi32>) -> (tensor<3xi32>, tensor<4xi32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [1] : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
   reducer(%arg1: tensor<i32>, %arg2: tensor<i32>)  {
    %1 = stablehlo.add %arg1, %arg2 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  %c_0 = stablehlo.constant dense<1> : tensor<i32>
  %2 = stablehlo.reduce(%x init: %c_0) across dimensions = [0] : (tensor<3x4xi32>, tensor<i32>) -> tensor<4xi32>
   reducer(%arg3: tensor<i32>, %arg4: tensor<i32>)  {
    %3 = stablehlo.add %arg3, %arg4 : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }
  return %0, %2 : tensor<3xi32>, tensor<4xi32>
}
