// seed 14593: LLVM 19 took lanes that a masked load left 0 in both operands of an integer "and" for ones
func.func @main(%arg0: tensor<3xi8>, %arg1: tensor<3xi8>, %arg2: tensor<3xf32>) -> tensor<4xi32> {
  %0 = stablehlo.and %arg1, %arg0 : tensor<3xi8>
  %c = stablehlo.constant dense<0> : tensor<i8>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<3xi8>, tensor<i8>) -> tensor<i8>
  %2 = stablehlo.composite "weft.scan" %1, %arg2 {composite_attributes = {body = @weft.scan_body_0, carries = 0 : i64, invariants = 2 : i64, length = 4 : i64, reverse = true, unroll = 2 : i64}, decomposition = @weft.scan_0} : (tensor<i8>, tensor<3xf32>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}
func.func private @weft.scan_body_0(%arg0: tensor<i8>, %arg1: tensor<3xf32>) -> tensor<i32> {
  %0 = stablehlo.convert %arg0 : (tensor<i8>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @weft.scan_0(%arg0: tensor<i8>, %arg1: tensor<3xf32>) -> tensor<4xi32> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %c_0 = stablehlo.constant dense<0> : tensor<4xi32>
  %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %c_0) : tensor<i64>, tensor<4xi32>
  cond {
    %c_1 = stablehlo.constant dense<4> : tensor<i64>
    %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c_2 = stablehlo.constant dense<3> : tensor<i64>
    %2 = stablehlo.subtract %c_2, %iterArg : tensor<i64>
    %3 = stablehlo.convert %arg0 : (tensor<i8>) -> tensor<i32>
    %4 = stablehlo.reshape %3 : (tensor<i32>) -> tensor<1xi32>
    %5 = stablehlo.dynamic_update_slice %iterArg_0, %4, %2 : (tensor<4xi32>, tensor<1xi32>, tensor<i64>) -> tensor<4xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i64>
    %6 = stablehlo.add %iterArg, %c_3 : tensor<i64>
    stablehlo.return %6, %5 : tensor<i64>, tensor<4xi32>
  }
  return %0#1 : tensor<4xi32>
}
func.func @inputs() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xf32>) {
  %c = stablehlo.constant dense<[-1, 2, 8]> : tensor<3xi8>
  %c_0 = stablehlo.constant dense<-4> : tensor<3xi8>
  %cst = stablehlo.constant dense<[1.8881464e-01, 0.000000e+00, 4.195881e-02]> : tensor<3xf32>
  return %c, %c_0, %cst : tensor<3xi8>, tensor<3xi8>, tensor<3xf32>
}
