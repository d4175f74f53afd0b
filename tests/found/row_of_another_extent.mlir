// a row of one extent was stored in the buffer of another's: written past the end of the scratch
func.func @main(%arg0: tensor<84xf64>, %arg1: tensor<f64>, %arg2: tensor<6xui16>, %arg3: tensor<81xf64>, %arg4: tensor<6xf64>, %arg5: tensor<6xi1>, %arg6: tensor<6xi1>) -> (tensor<6xf64>, tensor<6xf64>) {
  %0 = stablehlo.slice %arg0 [0:82] : (tensor<84xf64>) -> tensor<82xf64>
  %1 = stablehlo.slice %arg0 [1:83] : (tensor<84xf64>) -> tensor<82xf64>
  %2 = stablehlo.add %0, %1 : tensor<82xf64>
  %3 = stablehlo.slice %arg0 [2:84] : (tensor<84xf64>) -> tensor<82xf64>
  %4 = stablehlo.subtract %2, %3 : tensor<82xf64>
  %5 = stablehlo.clamp %arg1, %4, %4 : (tensor<f64>, tensor<82xf64>, tensor<82xf64>) -> tensor<82xf64>
  %6 = "stablehlo.gather"(%5, %arg2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<82xf64>, tensor<6xui16>) -> tensor<6xf64>
  %7 = stablehlo.composite "weft.argmin" %arg3 {composite_attributes = {attr = array<i64: 0>}, decomposition = @weft.argmin_0} : (tensor<81xf64>) -> tensor<i32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<i32>
  %9 = stablehlo.slice %5 [3:82:4] : (tensor<82xf64>) -> tensor<20xf64>
  %10 = stablehlo.convert %8 : (tensor<i32>) -> tensor<f64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f64>) -> tensor<20xf64>
  %12 = stablehlo.subtract %9, %11 : tensor<20xf64>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
  %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<20xf64>, tensor<f64>) -> tensor<f64>
  %14 = stablehlo.select %arg5, %6, %arg4 : tensor<6xi1>, tensor<6xf64>
  %15 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f64>) -> tensor<6xf64>
  %16 = stablehlo.logistic %6 : tensor<6xf64>
  %17 = stablehlo.select %arg6, %16, %15 : tensor<6xi1>, tensor<6xf64>
  return %17, %14 : tensor<6xf64>, tensor<6xf64>
}
func.func private @weft.argmin_0(%arg0: tensor<81xf64>) -> tensor<i32> {
  %0 = stablehlo.iota dim = 0 : tensor<81xi32>
  %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<81xf64>, tensor<81xi32>, tensor<f64>, tensor<i32>) -> (tensor<f64>, tensor<i32>)
   reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
    %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f64>
    %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
    stablehlo.return %9, %10 : tensor<f64>, tensor<i32>
  }
  return %1#1 : tensor<i32>
}
func.func @inputs() -> (tensor<84xf64>, tensor<f64>, tensor<6xui16>, tensor<81xf64>, tensor<6xf64>, tensor<6xi1>, tensor<6xi1>) {
  %cst = stablehlo.constant dense<-7.460679984455996e-01> : tensor<84xf64>
  %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
  %c = stablehlo.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xui16>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<81xf64>
  %cst_2 = stablehlo.constant dense<[1.0080140516770757e-223, 9.663703793504227e-214, -8.968299295855176e+63, 2.055419742817365e+174, 8.82160927060908e+171, 5.672017432640624e+78]> : tensor<6xf64>
  %c_0 = stablehlo.constant dense<true> : tensor<6xi1>
  return %cst, %cst_0, %c, %cst_1, %cst_2, %c_0, %c_0 : tensor<84xf64>, tensor<f64>, tensor<6xui16>, tensor<81xf64>, tensor<6xf64>, tensor<6xi1>, tensor<6xi1>
}
