// RUN: print
// An if is a case whose branch 0 is the false one. Branches share what they capture; calls are inlined in them.
func.func @main(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0, %1 = "stablehlo.if"(%p) ({
    %t = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %t, %x : tensor<2xf32>, tensor<2xf32>
  }, {
    stablehlo.return %y, %y : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)
  %2 = "stablehlo.case"(%i) ({
    %a = stablehlo.negate %y : tensor<2xf32>
    stablehlo.return %a : tensor<2xf32>
  }, {
    %b = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<2xf32>
    }, {
      %c = stablehlo.add %x, %y : tensor<2xf32>
      stablehlo.return %c : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    stablehlo.return %b : tensor<2xf32>
  }, {
    stablehlo.return %0 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- becomes
func.func @main(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>
  %1:2 = "stablehlo.case"(%0) ({
    stablehlo.return %y, %y : tensor<2xf32>, tensor<2xf32>
  }, {
    %2 = stablehlo.add %x, %x : tensor<2xf32>
    stablehlo.return %2, %x : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
  %3 = "stablehlo.case"(%i) ({
    %4 = stablehlo.negate %y : tensor<2xf32>
    stablehlo.return %4 : tensor<2xf32>
  }, {
    %5 = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<2xf32>
    }, {
      %6 = stablehlo.add %x, %y : tensor<2xf32>
      stablehlo.return %6 : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    stablehlo.return %5 : tensor<2xf32>
  }, {
    stablehlo.return %1#0 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %1#0, %1#1, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
