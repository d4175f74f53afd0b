// RUN: vmap 3 0,none
// A loop over scalars whose test differs per example: each example has its own.
func.func @main(%x: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<f32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %a, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.add %a, %a : tensor<f32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %j : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
// ----- becomes
func.func @main(%x: tensor<3xf32>, %limit: tensor<f32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0 = stablehlo.broadcast_in_dim %limit, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %1:2 = stablehlo.composite "weft.map" %0, %x {composite_attributes = {body = @weft.map_body_0}, decomposition = @weft.map_0} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  return %1#0, %1#1 : tensor<3xf32>, tensor<3xi32>
}
func.func private @weft.map_body_0(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c) : tensor<f32>, tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %iterArg, %arg0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.add %iterArg, %iterArg : tensor<f32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.add %iterArg_0, %c_0 : tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
func.func private @weft.map_0(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %c) : tensor<f32>, tensor<i32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %3 = stablehlo.add %iterArg, %iterArg : tensor<f32>
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_0, %c_0 : tensor<i32>
      stablehlo.return %3, %4 : tensor<f32>, tensor<i32>
    }
    stablehlo.return %1#0 : tensor<f32>
  }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %5 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6:2 = stablehlo.while(%iterArg_1 = %arg5, %iterArg_2 = %c_1) : tensor<f32>, tensor<i32>
    cond {
      %7 = stablehlo.compare LT, %iterArg_1, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %8 = stablehlo.add %iterArg_1, %iterArg_1 : tensor<f32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_2, %c_2 : tensor<i32>
      stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
    }
    stablehlo.return %6#1 : tensor<i32>
  }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi32>
  return %0, %5 : tensor<3xf32>, tensor<3xi32>
}
