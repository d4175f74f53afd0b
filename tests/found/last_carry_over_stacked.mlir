// The last values of a scan's carries, which nobody reads, were stored behind the steps, over the stacked results.
func.func @main(%a: tensor<f32>, %u: tensor<5xf32>, %v0: tensor<5xf32>) -> tensor<5x8xf32> {
  %v = stablehlo.negate %v0 : tensor<5xf32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %o0 = stablehlo.constant dense<0.0> : tensor<5xf32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f1 = stablehlo.constant dense<1.0> : tensor<5xf32>
  %r:5 = stablehlo.while(%i = %i0, %c = %a, %x1 = %u, %x = %v, %o = %o0) : tensor<i32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  cond {
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %c1 = stablehlo.reshape %c : (tensor<f32>) -> tensor<1xf32>
    %u1 = stablehlo.dynamic_update_slice %o, %c1, %i : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    %xx = stablehlo.multiply %x, %x : tensor<5xf32>
    %y = stablehlo.add %xx, %f1 : tensor<5xf32>
    %q = stablehlo.sqrt %y : tensor<5xf32>
    %s = stablehlo.slice %q [0:1] : (tensor<5xf32>) -> tensor<1xf32>
    %sx = stablehlo.slice %x1 [0:1] : (tensor<5xf32>) -> tensor<1xf32>
    %sz = stablehlo.multiply %s, %sx : tensor<1xf32>
    %z = stablehlo.reshape %sz : (tensor<1xf32>) -> tensor<f32>
    %d = stablehlo.add %z, %c : tensor<f32>
    %e = stablehlo.tanh %d : tensor<f32>
    %w = stablehlo.add %q, %x : tensor<5xf32>
    %w2 = stablehlo.tanh %w : tensor<5xf32>
    %w3 = stablehlo.add %x, %x1 : tensor<5xf32>
    %w4 = stablehlo.tanh %w3 : tensor<5xf32>
    %i2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %i2, %e, %w4, %w2, %u1 : tensor<i32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  %b = stablehlo.broadcast_in_dim %r#4, dims = [0] : (tensor<5xf32>) -> tensor<5x8xf32>
  return %b : tensor<5x8xf32>
}
func.func @inputs() -> (tensor<f32>, tensor<5xf32>, tensor<5xf32>) {
  %a = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %u = stablehlo.constant dense<[-1.000000e+00, -5.000000e-01, 2.500000e-01, 5.000000e-01, 1.000000e+00]> : tensor<5xf32>
  %v = stablehlo.constant dense<[0.000000e+00, 2.500000e-01, 5.000000e-01, 7.500000e-01, 1.000000e+00]> : tensor<5xf32>
  return %a, %u, %v : tensor<f32>, tensor<5xf32>, tensor<5xf32>
}
