// Steps of a scan that are written out one after the other: the loop within a step begins behind that of the step before,
// on whose results what it takes from around depends. Its operand had no value.
func.func @main(%x0: tensor<1xf32>, %x1: tensor<1xf32>, %y: tensor<2xf32>, %c0: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  %sine = stablehlo.sine %x0 : tensor<1xf32>
  %x = stablehlo.concatenate %sine, %x1, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %out = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
  %0:3 = stablehlo.while(%i = %zero, %c = %c0, %o = %out) : tensor<i64>, tensor<f32>, tensor<2xf32>
  cond {
    %two = stablehlo.constant dense<2> : tensor<i64>
    %1 = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %at = stablehlo.subtract %one, %i : tensor<i64>
    %a = stablehlo.dynamic_slice %x, %at, sizes = [1] : (tensor<2xf32>, tensor<i64>) -> tensor<1xf32>
    %b = stablehlo.dynamic_slice %y, %at, sizes = [1] : (tensor<2xf32>, tensor<i64>) -> tensor<1xf32>
    %p = stablehlo.reshape %a : (tensor<1xf32>) -> tensor<f32>
    %q = stablehlo.reshape %b : (tensor<1xf32>) -> tensor<f32>
    %r = stablehlo.multiply %q, %c : tensor<f32>
    %most = stablehlo.abs %r : tensor<f32>
    %2:2 = stablehlo.while(%s = %p, %t = %q) : tensor<f32>, tensor<f32>
    cond {
      %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %low = stablehlo.multiply %most, %half : tensor<f32>
      %3 = stablehlo.abs %s : tensor<f32>
      %4 = stablehlo.compare LT, %3, %low, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %double = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %5 = stablehlo.add %s, %t : tensor<f32>
      %6 = stablehlo.multiply %double, %t : tensor<f32>
      stablehlo.return %5, %6 : tensor<f32>, tensor<f32>
    }
    %7 = stablehlo.divide %r, %2#0 : tensor<f32>
    %8 = stablehlo.reshape %7 : (tensor<f32>) -> tensor<1xf32>
    %9 = stablehlo.dynamic_update_slice %o, %8, %at : (tensor<2xf32>, tensor<1xf32>, tensor<i64>) -> tensor<2xf32>
    %10 = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %10, %7, %9 : tensor<i64>, tensor<f32>, tensor<2xf32>
  }
  return %0#2, %0#1 : tensor<2xf32>, tensor<f32>
}
func.func @inputs() -> (tensor<1xf32>, tensor<1xf32>, tensor<2xf32>, tensor<f32>) {
  %x0 = stablehlo.constant dense<1.000000e-01> : tensor<1xf32>
  %x1 = stablehlo.constant dense<2.000000e-01> : tensor<1xf32>
  %y = stablehlo.constant dense<[3.000000e-01, 7.000000e-01]> : tensor<2xf32>
  %c = stablehlo.constant dense<5.000000e+00> : tensor<f32>
  return %x0, %x1, %y, %c : tensor<1xf32>, tensor<1xf32>, tensor<2xf32>, tensor<f32>
}
