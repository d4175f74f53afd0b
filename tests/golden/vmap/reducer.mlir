// RUN: vmap 8
func.func @main(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%l: tensor<f32>, %r: tensor<f32>)  {
    %1 = stablehlo.power %l, %r : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<8x4xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reshape %s : (tensor<8xf32>) -> tensor<8x1xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 1 : (tensor<8x1xf32>, tensor<8x4xf32>) -> tensor<8x5xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %c = stablehlo.constant dense<true> : tensor<8x5xi1>
  %c_0 = stablehlo.constant dense<false> : tensor<i1>
  %2:2 = stablehlo.reduce(%1 init: %cst), (%c init: %c_0) across dimensions = [1] : (tensor<8x5xf32>, tensor<8x5xi1>, tensor<f32>, tensor<i1>) -> (tensor<8xf32>, tensor<8xi1>)
   reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<i1>, %arg5: tensor<i1>)  {
    %3 = stablehlo.power %arg2, %arg4 : tensor<f32>
    %4 = stablehlo.select %arg5, %3, %arg2 : tensor<i1>, tensor<f32>
    %5 = stablehlo.select %arg3, %4, %arg4 : tensor<i1>, tensor<f32>
    %6 = stablehlo.or %arg3, %arg5 : tensor<i1>
    stablehlo.return %5, %6 : tensor<f32>, tensor<i1>
  }
  return %2#0 : tensor<8xf32>
}
