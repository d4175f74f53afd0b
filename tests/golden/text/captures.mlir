// RUN: print
// A barrier says what the next op captures, in this order: twice the same, a constant, one that no region names.
func.func @main(%p: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %c = stablehlo.constant dense<3.0> : tensor<f32>
  %0:4 = stablehlo.optimization_barrier {weft.captures} %y, %x, %x, %c : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  %1 = "stablehlo.case"(%p) ({
    %a = stablehlo.add %0#1, %0#3 : tensor<f32>
    stablehlo.return %a : tensor<f32>
  }, {
    %b = stablehlo.subtract %0#2, %0#1 : tensor<f32>
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  %2 = stablehlo.optimization_barrier {weft.captures} %c : tensor<f32>
  %3 = stablehlo.while(%i = %x) : tensor<f32> cond {
    %q = stablehlo.compare LT, %i, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  } do {
    %j = stablehlo.add %i, %2 : tensor<f32>
    stablehlo.return %j : tensor<f32>
  }
  %4:2 = stablehlo.optimization_barrier %1, %3 : tensor<f32>, tensor<f32>
  stablehlo.optimization_barrier()
  return %4#0, %4#1, %1 : tensor<f32>, tensor<f32>, tensor<f32>
}
// ----- becomes
func.func @main(%p: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
  %0:4 = stablehlo.optimization_barrier {weft.captures} %y, %x, %x, %cst : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  %1 = "stablehlo.case"(%p) ({
    %2 = stablehlo.add %0#1, %0#3 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }, {
    %3 = stablehlo.subtract %0#2, %0#1 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  %4 = stablehlo.optimization_barrier {weft.captures} %cst : tensor<f32>
  %5 = stablehlo.while(%iterArg = %x) : tensor<f32>
  cond {
    %6 = stablehlo.compare LT, %iterArg, %4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  } do {
    %7 = stablehlo.add %iterArg, %4 : tensor<f32>
    stablehlo.return %7 : tensor<f32>
  }
  %8:2 = stablehlo.optimization_barrier %1, %5 : tensor<f32>, tensor<f32>
  return %8#0, %8#1, %1 : tensor<f32>, tensor<f32>, tensor<f32>
}
