// RUN: simplify
// What vmap of JAX's makes of a loop that each example leaves on its own (the Mandelbrot set): a loop of one element, mapped. The selects are gone: where the test does not hold, an element has ended.
func.func @main(%re: tensor<8xf32>, %im: tensor<4xf32>) -> (tensor<4x8xi32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %3:5 = stablehlo.while(%a = %re, %b = %im, %i = %0, %x = %1, %y = %2) : tensor<8xf32>, tensor<4xf32>, tensor<4x8xi32>, tensor<4x8xf32>, tensor<4x8xf32>
  cond {
    %c_0 = stablehlo.constant dense<100> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
    %5 = stablehlo.compare LT, %i, %4, SIGNED : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
    %6 = stablehlo.multiply %x, %x : tensor<4x8xf32>
    %7 = stablehlo.multiply %y, %y : tensor<4x8xf32>
    %8 = stablehlo.add %6, %7 : tensor<4x8xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %10 = stablehlo.compare LT, %8, %9, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<4x8xi1>
    %12 = stablehlo.compare NE, %5, %11, UNSIGNED : (tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    %13 = stablehlo.convert %12 : tensor<4x8xi1>
    %14 = stablehlo.and %13, %10 : tensor<4x8xi1>
    %15 = stablehlo.reduce(%14 init: %c_1) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %15 : tensor<i1>
  } do {
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
    %5 = stablehlo.add %i, %4 : tensor<4x8xi32>
    %6 = stablehlo.multiply %x, %x : tensor<4x8xf32>
    %7 = stablehlo.multiply %y, %y : tensor<4x8xf32>
    %8 = stablehlo.subtract %6, %7 : tensor<4x8xf32>
    %9 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<4x8xf32>
    %11 = stablehlo.add %8, %10 : tensor<4x8xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %13 = stablehlo.multiply %12, %x : tensor<4x8xf32>
    %14 = stablehlo.multiply %13, %y : tensor<4x8xf32>
    %15 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
    %17 = stablehlo.add %14, %16 : tensor<4x8xf32>
    %c_1 = stablehlo.constant dense<100> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
    %19 = stablehlo.compare LT, %i, %18, SIGNED : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
    %20 = stablehlo.multiply %x, %x : tensor<4x8xf32>
    %21 = stablehlo.multiply %y, %y : tensor<4x8xf32>
    %22 = stablehlo.add %20, %21 : tensor<4x8xf32>
    %cst_1 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %24 = stablehlo.compare LT, %22, %23, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %25 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<4x8xi1>
    %26 = stablehlo.compare NE, %19, %25, UNSIGNED : (tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
    %27 = stablehlo.convert %26 : tensor<4x8xi1>
    %28 = stablehlo.and %27, %24 : tensor<4x8xi1>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<4x8xi1>) -> tensor<4x8xi1>
    %30 = stablehlo.select %29, %5, %i : tensor<4x8xi1>, tensor<4x8xi32>
    %31 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<4x8xi1>) -> tensor<4x8xi1>
    %32 = stablehlo.select %31, %11, %x : tensor<4x8xi1>, tensor<4x8xf32>
    %33 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<4x8xi1>) -> tensor<4x8xi1>
    %34 = stablehlo.select %33, %17, %y : tensor<4x8xi1>, tensor<4x8xf32>
    stablehlo.return %a, %b, %30, %32, %34 : tensor<8xf32>, tensor<4xf32>, tensor<4x8xi32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %3#2 : tensor<4x8xi32>
}
// ----- becomes
func.func @main(%re: tensor<8xf32>, %im: tensor<4xf32>) -> tensor<4x8xi32> {
  %0 = stablehlo.broadcast_in_dim %re, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %im, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = "stablehlo.map"(%0, %1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %cst, %iterArg_1 = %cst) : tensor<i32>, tensor<f32>, tensor<f32>
    cond {
      %c_0 = stablehlo.constant dense<100> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.multiply %iterArg_0, %iterArg_0 : tensor<f32>
      %6 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<f32>
      %7 = stablehlo.add %5, %6 : tensor<f32>
      %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %8 = stablehlo.compare LT, %7, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %9 = stablehlo.and %4, %8 : tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %10 = stablehlo.multiply %iterArg_0, %iterArg_0 : tensor<f32>
      %11 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<f32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %13 = stablehlo.subtract %10, %11 : tensor<f32>
      %14 = stablehlo.add %13, %arg2 : tensor<f32>
      %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %15 = stablehlo.multiply %cst_1, %iterArg_0 : tensor<f32>
      %16 = stablehlo.multiply %15, %iterArg_1 : tensor<f32>
      %17 = stablehlo.add %16, %arg3 : tensor<f32>
      stablehlo.return %12, %14, %17 : tensor<i32>, tensor<f32>, tensor<f32>
    }
    stablehlo.return %3#0 : tensor<i32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi32>
  return %2 : tensor<4x8xi32>
}
