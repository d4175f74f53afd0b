// Elements set and read at places that count up, down, past both ends, several in a step: each is what eager mode says, whatever is carried from step to step instead of loaded.
func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<f32>) {
  %first = stablehlo.constant dense<-2> : tensor<i32>
  %s0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %0:4 = stablehlo.while(%i = %first, %a = %x, %b = %y, %s = %s0) : tensor<i32>, tensor<9xf32>, tensor<9xf32>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<11> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %eight = stablehlo.constant dense<8> : tensor<i32>
    %1 = stablehlo.subtract %i, %one : tensor<i32>
    %2 = stablehlo.dynamic_slice %a, %1, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>
    %3 = stablehlo.reshape %s : (tensor<f32>) -> tensor<1xf32>
    %4 = stablehlo.add %2, %3 : tensor<1xf32>
    %5 = stablehlo.subtract %eight, %i : tensor<i32>
    %6 = stablehlo.dynamic_slice %b, %5, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>
    %7 = stablehlo.dynamic_update_slice %a, %4, %i : (tensor<9xf32>, tensor<1xf32>, tensor<i32>) -> tensor<9xf32>
    %8 = stablehlo.dynamic_slice %a, %5, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>
    %9 = stablehlo.subtract %8, %6 : tensor<1xf32>
    %10 = stablehlo.dynamic_update_slice %7, %9, %5 : (tensor<9xf32>, tensor<1xf32>, tensor<i32>) -> tensor<9xf32>
    %11 = stablehlo.dynamic_slice %10, %i, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>
    %12 = stablehlo.dynamic_update_slice %b, %11, %i : (tensor<9xf32>, tensor<1xf32>, tensor<i32>) -> tensor<9xf32>
    %half = stablehlo.constant dense<5.000000e-01> : tensor<1xf32>
    %13 = stablehlo.multiply %11, %half : tensor<1xf32>
    %14 = stablehlo.reshape %13 : (tensor<1xf32>) -> tensor<f32>
    %15 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %15, %10, %12, %14 : tensor<i32>, tensor<9xf32>, tensor<9xf32>, tensor<f32>
  }
  return %0#1, %0#2, %0#3 : tensor<9xf32>, tensor<9xf32>, tensor<f32>
}
func.func @inputs() -> (tensor<9xf32>, tensor<9xf32>) {
  %cst = stablehlo.constant dense<[1.000000e+00, -2.000000e+00, 3.000000e+00, 5.000000e-01, -0.000000e+00, 4.000000e+00, -1.500000e+00, 2.000000e+00, 7.000000e+00]> : tensor<9xf32>
  %cst_0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, -1.000000e+00, 2.500000e-01, 6.000000e+00, -3.000000e+00, 0.000000e+00, 1.250000e+00, -5.000000e-01]> : tensor<9xf32>
  return %cst, %cst_0 : tensor<9xf32>, tensor<9xf32>
}
