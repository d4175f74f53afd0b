// RUN: print
// The last axis, not stable, unless said otherwise. top_k sorts values beside positions.
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xui8>) -> (tensor<2x3xf32>, tensor<2x3xui8>, tensor<2x3xf32>, tensor<2x1xui8>, tensor<2x1xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<ui8>, %d: tensor<ui8>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare GT, %c, %d, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<2x3xui8>) -> (tensor<2x3xf32>, tensor<2x3xui8>)
  %4 = "stablehlo.sort"(%0#0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %5 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %values, %indices = chlo.top_k(%y, k = 1) : tensor<2x3xui8> -> (tensor<2x1xui8>, tensor<2x1xi32>)
  return %0#0, %0#1, %4, %values, %indices : tensor<2x3xf32>, tensor<2x3xui8>, tensor<2x3xf32>, tensor<2x1xui8>, tensor<2x1xi32>
}
// ----- becomes
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xui8>) -> (tensor<2x3xf32>, tensor<2x3xui8>, tensor<2x3xf32>, tensor<2x1xui8>, tensor<2x1xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<ui8>, %arg5: tensor<ui8>):
    %1 = stablehlo.compare LT, %arg2, %arg3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare GT, %arg4, %arg5, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<2x3xui8>) -> (tensor<2x3xf32>, tensor<2x3xui8>)
  %4 = "stablehlo.sort"(%0#0) <{dimension = 1 : i64, is_stable = false}> ({
  ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
    %5 = stablehlo.compare GE, %arg6, %arg7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %7:2 = "stablehlo.sort"(%y, %6) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%arg8: tensor<ui8>, %arg9: tensor<ui8>, %arg10: tensor<i32>, %arg11: tensor<i32>):
    %8 = stablehlo.compare GT, %arg8, %arg9, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %8 : tensor<i1>
  }) : (tensor<2x3xui8>, tensor<2x3xi32>) -> (tensor<2x3xui8>, tensor<2x3xi32>)
  %9 = stablehlo.slice %7#0 [0:2, 0:1] : (tensor<2x3xui8>) -> tensor<2x1xui8>
  %10 = stablehlo.slice %7#1 [0:2, 0:1] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  return %0#0, %0#1, %4, %9, %10 : tensor<2x3xf32>, tensor<2x3xui8>, tensor<2x3xf32>, tensor<2x1xui8>, tensor<2x1xi32>
}
