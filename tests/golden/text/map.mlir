// RUN: print
// A captured scalar goes over the shape. Several results are a composite of maps.
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>, %k: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>) {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    %1 = stablehlo.convert %b : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.multiply %a, %two : tensor<f32>
    %3 = stablehlo.add %1, %k : tensor<f32>
    %4 = stablehlo.add %2, %3 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  %5:2 = stablehlo.composite "weft.map" %x, %0 {composite_attributes = {body = @both}, decomposition = @both} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  return %0, %5#0, %5#1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>
}
func.func private @both(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %0 = stablehlo.atan2 %a, %b : tensor<f32>
  %1 = stablehlo.compare LT, %0, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0, %1 : tensor<f32>, tensor<i1>
}
// ----- becomes
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>, %k: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>) {
  %0 = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %1 = "stablehlo.map"(%0, %x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<i32>):
    %2 = stablehlo.convert %arg5 : (tensor<i32>) -> tensor<f32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.multiply %arg4, %cst : tensor<f32>
    %4 = stablehlo.add %2, %arg3 : tensor<f32>
    %5 = stablehlo.add %3, %4 : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  %6:2 = stablehlo.composite "weft.map" %x, %1 {composite_attributes = {body = @weft.map_body_0}, decomposition = @weft.map_0} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  return %1, %6#0, %6#1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>
}
func.func private @weft.map_body_0(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %0 = stablehlo.atan2 %a, %b : tensor<f32>
  %1 = stablehlo.compare LT, %0, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0, %1 : tensor<f32>, tensor<i1>
}
func.func private @weft.map_0(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.atan2 %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    %3 = stablehlo.atan2 %arg4, %arg5 : tensor<f32>
    %4 = stablehlo.compare LT, %3, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %0, %2 : tensor<2x3xf32>, tensor<2x3xi1>
}
