// Updates of a carry, the first of a sum: one that is not the last stored it before it was folded.
func.func @main(%y: tensor<3x3xi32>, %i: tensor<2xi32>) -> tensor<3x3xi32> {
  %0 = stablehlo.composite "weft.scan" %y, %i {composite_attributes = {body = @weft.scan_body_0, carries = 1 : i64, invariants = 0 : i64, length = 2 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_0} : (tensor<3x3xi32>, tensor<2xi32>) -> tensor<3x3xi32>
  return %0 : tensor<3x3xi32>
}
func.func private @weft.scan_body_0(%arg0: tensor<3x3xi32>, %arg1: tensor<i32>) -> tensor<3x3xi32> {
  %0 = stablehlo.slice %arg0 [0:3, 1:3] : (tensor<3x3xi32>) -> tensor<3x2xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x2xi32>, tensor<i32>) -> tensor<3xi32>
  %2 = stablehlo.slice %1 [2:3] : (tensor<3xi32>) -> tensor<1xi32>
  %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
  %c_0 = stablehlo.constant dense<3> : tensor<i32>
  %4 = stablehlo.add %arg1, %c_0 : tensor<i32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %5 = stablehlo.compare LT, %arg1, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %6 = stablehlo.select %5, %4, %arg1 : tensor<i1>, tensor<i32>
  %7 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<1x3xi32>
  %8 = stablehlo.dynamic_update_slice %arg0, %7, %6, %c_1 : (tensor<3x3xi32>, tensor<1x3xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>
  %9 = stablehlo.slice %8 [0:2, 0:3:2] : (tensor<3x3xi32>) -> tensor<2x2xi32>
  %10 = stablehlo.slice %8 [1:3, 1:3] : (tensor<3x3xi32>) -> tensor<2x2xi32>
  %11 = stablehlo.add %10, %9 : tensor<2x2xi32>
  %c_2 = stablehlo.constant dense<1> : tensor<i32>
  %12 = stablehlo.dynamic_update_slice %8, %11, %c_2, %c_2 : (tensor<3x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>
  %13 = stablehlo.slice %12 [0:2, 1:3] : (tensor<3x3xi32>) -> tensor<2x2xi32>
  %14 = stablehlo.reverse %13, dims = [1] : tensor<2x2xi32>
  %15 = stablehlo.slice %12 [0:2, 0:3:2] : (tensor<3x3xi32>) -> tensor<2x2xi32>
  %16 = stablehlo.subtract %15, %14 : tensor<2x2xi32>
  %17 = stablehlo.slice %12 [1:3, 1:3] : (tensor<3x3xi32>) -> tensor<2x2xi32>
  %18 = stablehlo.reverse %17, dims = [1] : tensor<2x2xi32>
  %19 = stablehlo.add %18, %16 : tensor<2x2xi32>
  %20 = stablehlo.reverse %19, dims = [1] : tensor<2x2xi32>
  %21 = stablehlo.dynamic_update_slice %12, %20, %c_2, %c_2 : (tensor<3x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>
  return %21 : tensor<3x3xi32>
}
func.func private @weft.scan_0(%arg0: tensor<3x3xi32>, %arg1: tensor<2xi32>) -> tensor<3x3xi32> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i64>, tensor<3x3xi32>
  cond {
    %c_0 = stablehlo.constant dense<2> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.dynamic_slice %arg1, %iterArg, sizes = [1] : (tensor<2xi32>, tensor<i64>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %4 = stablehlo.slice %iterArg_0 [0:3, 1:3] : (tensor<3x3xi32>) -> tensor<3x2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.reduce(%4 init: %c_1) applies stablehlo.add across dimensions = [1] : (tensor<3x2xi32>, tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.slice %5 [2:3] : (tensor<3xi32>) -> tensor<1xi32>
    %7 = stablehlo.reshape %6 : (tensor<1xi32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %8 = stablehlo.add %3, %c_2 : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %3, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.select %9, %8, %3 : tensor<i1>, tensor<i32>
    %11 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<1x3xi32>
    %12 = stablehlo.dynamic_update_slice %iterArg_0, %11, %10, %c_3 : (tensor<3x3xi32>, tensor<1x3xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>
    %13 = stablehlo.slice %12 [0:2, 0:3:2] : (tensor<3x3xi32>) -> tensor<2x2xi32>
    %14 = stablehlo.slice %12 [1:3, 1:3] : (tensor<3x3xi32>) -> tensor<2x2xi32>
    %15 = stablehlo.add %14, %13 : tensor<2x2xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %16 = stablehlo.dynamic_update_slice %12, %15, %c_4, %c_4 : (tensor<3x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>
    %17 = stablehlo.slice %16 [0:2, 1:3] : (tensor<3x3xi32>) -> tensor<2x2xi32>
    %18 = stablehlo.reverse %17, dims = [1] : tensor<2x2xi32>
    %19 = stablehlo.slice %16 [0:2, 0:3:2] : (tensor<3x3xi32>) -> tensor<2x2xi32>
    %20 = stablehlo.subtract %19, %18 : tensor<2x2xi32>
    %21 = stablehlo.slice %16 [1:3, 1:3] : (tensor<3x3xi32>) -> tensor<2x2xi32>
    %22 = stablehlo.reverse %21, dims = [1] : tensor<2x2xi32>
    %23 = stablehlo.add %22, %20 : tensor<2x2xi32>
    %24 = stablehlo.reverse %23, dims = [1] : tensor<2x2xi32>
    %25 = stablehlo.dynamic_update_slice %16, %24, %c_4, %c_4 : (tensor<3x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>
    %c_5 = stablehlo.constant dense<1> : tensor<i64>
    %26 = stablehlo.add %iterArg, %c_5 : tensor<i64>
    stablehlo.return %26, %25 : tensor<i64>, tensor<3x3xi32>
  }
  return %0#1 : tensor<3x3xi32>
}
func.func @inputs() -> (tensor<3x3xi32>, tensor<2xi32>) {
  %0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8]]> : tensor<3x3xi32>
  %1 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  return %0, %1 : tensor<3x3xi32>, tensor<2xi32>
}
