// RUN: grad | simplify
// A loop that counts is a scan; what its steps multiply by is stacked.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<f32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.sine %a : tensor<f32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1, %j : tensor<f32>, tensor<i32>
  }
  return %0#0 : tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = stablehlo.composite "weft.scan" %x {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 0 : i64, length = 5 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<f32>) -> (tensor<f32>, tensor<5xf32>)
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %1 = stablehlo.composite "weft.scan" %cst, %0#1 {composite_attributes = {body = @weft.scan_body_1, carries = 1 : i64, invariants = 0 : i64, length = 5 : i64, reverse = true, unroll = 1 : i64}, decomposition = @weft.scan_1} : (tensor<f32>, tensor<5xf32>) -> tensor<f32>
  return %0#0, %1 : tensor<f32>, tensor<f32>
}
func.func private @weft.scan_body_0(%arg0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.sine %arg0 : tensor<f32>
  %1 = stablehlo.cosine %arg0 : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
func.func private @weft.scan_0(%arg0: tensor<f32>) -> (tensor<f32>, tensor<5xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<5xf32>
  %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %cst) : tensor<i64>, tensor<f32>, tensor<5xf32>
  cond {
    %c_0 = stablehlo.constant dense<5> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.sine %iterArg_0 : tensor<f32>
    %3 = stablehlo.cosine %iterArg_0 : tensor<f32>
    %4 = stablehlo.reshape %3 : (tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.dynamic_update_slice %iterArg_1, %4, %iterArg : (tensor<5xf32>, tensor<1xf32>, tensor<i64>) -> tensor<5xf32>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %6 = stablehlo.add %iterArg, %c_1 : tensor<i64>
    stablehlo.return %6, %2, %5 : tensor<i64>, tensor<f32>, tensor<5xf32>
  }
  return %0#1, %0#2 : tensor<f32>, tensor<5xf32>
}
func.func private @weft.scan_body_1(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @weft.scan_1(%arg0: tensor<f32>, %arg1: tensor<5xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i64>, tensor<f32>
  cond {
    %c_0 = stablehlo.constant dense<5> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_1 = stablehlo.constant dense<4> : tensor<i64>
    %2 = stablehlo.subtract %c_1, %iterArg : tensor<i64>
    %3 = stablehlo.dynamic_slice %arg1, %2, sizes = [1] : (tensor<5xf32>, tensor<i64>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = stablehlo.multiply %iterArg_0, %4 : tensor<f32>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %6 = stablehlo.add %iterArg, %c_2 : tensor<i64>
    stablehlo.return %6, %5 : tensor<i64>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
