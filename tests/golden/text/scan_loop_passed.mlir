// RUN: raise
// JAX hands inputs and constants on as carries; the test's bound may be one of them.
func.func @main(%x: tensor<4xf32>, %k: tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<i64>) {
  %0 = stablehlo.constant dense<0> : tensor<i64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %1:5 = stablehlo.while(%xs = %x, %n = %four, %w = %k, %i = %0, %c = %k) : tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>
  cond {
    %p = stablehlo.compare GT, %n, %i, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %xs, %i, sizes = [1] : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    %r = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
    %a = stablehlo.multiply %c, %w : tensor<f32>
    %b = stablehlo.add %a, %r : tensor<f32>
    %j = stablehlo.add %one, %i : tensor<i64>
    stablehlo.return %xs, %n, %w, %j, %b : tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>
  }
  return %1#4, %1#0, %1#3 : tensor<f32>, tensor<4xf32>, tensor<i64>
}
// ----- becomes
func.func @main(%x: tensor<4xf32>, %k: tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<i64>) {
  %0 = stablehlo.composite "weft.scan" %k, %k, %x {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 1 : i64, length = 4 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<f32>, tensor<f32>, tensor<4xf32>) -> tensor<f32>
  %c = stablehlo.constant dense<4> : tensor<i64>
  return %0, %x, %c : tensor<f32>, tensor<4xf32>, tensor<i64>
}
func.func private @weft.scan_body_0(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.multiply %arg1, %arg0 : tensor<f32>
  %1 = stablehlo.add %0, %arg2 : tensor<f32>
  return %1 : tensor<f32>
}
func.func private @weft.scan_0(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<4xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i64>, tensor<f32>
  cond {
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.dynamic_slice %arg2, %iterArg, sizes = [1] : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.multiply %iterArg_0, %arg0 : tensor<f32>
    %5 = stablehlo.add %4, %3 : tensor<f32>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %6 = stablehlo.add %iterArg, %c_1 : tensor<i64>
    stablehlo.return %6, %5 : tensor<i64>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
