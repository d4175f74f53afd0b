// RUN: print
// Captures of a loop are its invariants; constants are copied in. Names of results may stand alone.
func.func @main(%x: tensor<4xf32>, %limit: tensor<f32>) -> (tensor<4xf32>, tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %v, %n = stablehlo.while(%a = %x, %i = %zero) : tensor<4xf32>, tensor<i32>
   cond {
    %init = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %p = stablehlo.compare LT, %s, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.add %a, %x : tensor<4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %j : tensor<4xf32>, tensor<i32>
  }
  %r:1 = "stablehlo.while"(%two) ({
  ^bb0(%c: tensor<f32>):
    %q = "stablehlo.compare"(%c, %limit) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%q) : (tensor<i1>) -> ()
  }, {
  ^bb0(%c: tensor<f32>):
    %d = "stablehlo.multiply"(%c, %two) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%d) : (tensor<f32>) -> ()
  }) {mhlo.frontend_attributes = {}} : (tensor<f32>) -> tensor<f32>
  return %v, %n, %r#0 : tensor<4xf32>, tensor<i32>, tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %limit: tensor<f32>) -> (tensor<4xf32>, tensor<i32>, tensor<f32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%iterArg = %x, %iterArg_0 = %c) : tensor<4xf32>, tensor<i32>
  cond {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%iterArg init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.compare LT, %1, %limit, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %3 = stablehlo.add %iterArg, %x : tensor<4xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.add %iterArg_0, %c_0 : tensor<i32>
    stablehlo.return %3, %4 : tensor<4xf32>, tensor<i32>
  }
  %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
  %5 = stablehlo.while(%iterArg_1 = %cst_0) : tensor<f32>
  cond {
    %6 = stablehlo.compare LT, %iterArg_1, %limit, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  } do {
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.multiply %iterArg_1, %cst_1 : tensor<f32>
    stablehlo.return %7 : tensor<f32>
  }
  return %0#0, %0#1, %5 : tensor<4xf32>, tensor<i32>, tensor<f32>
}
