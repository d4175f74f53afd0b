// RUN: vmap 3 0,0,none
// The steps stay the first axis; a carry that does not depend on the batch is not batched.
func.func @main(%c: tensor<f32>, %x: tensor<4xf32>, %k: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<4xf32>) {
  %0:3 = chlo.scan(%x) inits(%c, %k) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.multiply %d, %d : tensor<f32>
    %2 = stablehlo.add %a, %b : tensor<f32>
    %3 = stablehlo.multiply %2, %d : tensor<f32>
    stablehlo.return %3, %2, %1 : tensor<f32>, tensor<f32>, tensor<f32>
  } : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>)
  return %0#1, %0#2, %0#0 : tensor<f32>, tensor<f32>, tensor<4xf32>
}
// ----- becomes
func.func @main(%arg0: tensor<3xf32>, %x: tensor<3x4xf32>, %k: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1:3 = stablehlo.composite "weft.scan" %arg0, %k, %0 {composite_attributes = {body = @weft.scan_body_0, carries = 2 : i64, invariants = 0 : i64, length = 4 : i64, reverse = true, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<3xf32>, tensor<f32>, tensor<4x3xf32>) -> (tensor<3xf32>, tensor<f32>, tensor<4x3xf32>)
  %2 = stablehlo.transpose %1#2, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.broadcast_in_dim %1#1, dims = [] : (tensor<f32>) -> tensor<3xf32>
  return %1#0, %3, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>
}
func.func private @weft.scan_body_0(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>, tensor<3xf32>) {
  %0 = stablehlo.multiply %arg1, %arg1 : tensor<f32>
  %1 = stablehlo.add %arg2, %arg0 : tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<3xf32>
  return %1, %0, %3 : tensor<3xf32>, tensor<f32>, tensor<3xf32>
}
func.func private @weft.scan_0(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<4x3xf32>) -> (tensor<3xf32>, tensor<f32>, tensor<4x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x3xf32>
  %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %cst) : tensor<i64>, tensor<3xf32>, tensor<f32>, tensor<4x3xf32>
  cond {
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<3> : tensor<i64>
    %2 = stablehlo.subtract %c_1, %iterArg : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.dynamic_slice %arg2, %2, %c_2, sizes = [1, 3] : (tensor<4x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x3xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x3xf32>) -> tensor<3xf32>
    %5 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<f32>
    %6 = stablehlo.add %4, %iterArg_0 : tensor<3xf32>
    %7 = stablehlo.broadcast_in_dim %iterArg_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<3xf32>
    %9 = stablehlo.reshape %8 : (tensor<3xf32>) -> tensor<1x3xf32>
    %10 = stablehlo.dynamic_update_slice %iterArg_2, %9, %2, %c_2 : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i64>
    %11 = stablehlo.add %iterArg, %c_3 : tensor<i64>
    stablehlo.return %11, %6, %5, %10 : tensor<i64>, tensor<3xf32>, tensor<f32>, tensor<4x3xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<3xf32>, tensor<f32>, tensor<4x3xf32>
}
