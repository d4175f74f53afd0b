// RUN: print
// Ops of MHLO's that StableHLO has not, as programs that were HLO call them; and XLA's note of a shape.
func.func @main(%x: tensor<2x5xf32>, %y: tensor<3xf8E4M3FN>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<3xf8E4M3FN>) {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2x5xf32>) -> tensor<2x5xf32>
  %1 = stablehlo.custom_call @mhlo.tan(%0) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2x5xf32>) -> tensor<2x5xf32>
  %2:2 = stablehlo.custom_call @mhlo.topk(%1) {mhlo.attributes = {k = 3 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %3 = stablehlo.custom_call @mhlo.erf(%y) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3xf8E4M3FN>) -> tensor<3xf8E4M3FN>
  %4 = stablehlo.negate %2#0 {xla_shape = "f32[2,3]{1,0}"} : tensor<2x3xf32>
  return %4, %2#1, %3 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<3xf8E4M3FN>
}
// ----- becomes
func.func @main(%x: tensor<2x5xf32>, %y: tensor<3xui8>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<3xui8>) {
  %0 = stablehlo.convert %y : (tensor<3xui8>) -> tensor<3xui32>
  %c = stablehlo.constant dense<127> : tensor<3xui32>
  %1 = stablehlo.and %0, %c : tensor<3xui32>
  %c_0 = stablehlo.constant dense<20> : tensor<3xui32>
  %2 = stablehlo.shift_left %1, %c_0 : tensor<3xui32>
  %3 = stablehlo.bitcast_convert %2 : (tensor<3xui32>) -> tensor<3xf32>
  %cst = stablehlo.constant dense<1.329228e+36> : tensor<3xf32>
  %4 = stablehlo.multiply %3, %cst : tensor<3xf32>
  %c_1 = stablehlo.constant dense<128> : tensor<3xui32>
  %5 = stablehlo.and %0, %c_1 : tensor<3xui32>
  %c_2 = stablehlo.constant dense<24> : tensor<3xui32>
  %6 = stablehlo.shift_left %5, %c_2 : tensor<3xui32>
  %7 = stablehlo.bitcast_convert %4 : (tensor<3xf32>) -> tensor<3xui32>
  %8 = stablehlo.or %7, %6 : tensor<3xui32>
  %9 = stablehlo.bitcast_convert %8 : (tensor<3xui32>) -> tensor<3xf32>
  %10 = stablehlo.compare EQ, %1, %c, UNSIGNED : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xi1>
  %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<3xf32>
  %11 = stablehlo.select %10, %cst_0, %9 : tensor<3xi1>, tensor<3xf32>
  %12 = chlo.erf %x : tensor<2x5xf32> -> tensor<2x5xf32>
  %13 = stablehlo.tan %12 : tensor<2x5xf32>
  %14 = stablehlo.iota dim = 1 : tensor<2x5xi32>
  %15:2 = "stablehlo.sort"(%13, %14) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
    %16 = stablehlo.compare GT, %arg2, %arg3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %16 : tensor<i1>
  }) : (tensor<2x5xf32>, tensor<2x5xi32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)
  %17 = stablehlo.slice %15#0 [0:2, 0:3] : (tensor<2x5xf32>) -> tensor<2x3xf32>
  %18 = stablehlo.slice %15#1 [0:2, 0:3] : (tensor<2x5xi32>) -> tensor<2x3xi32>
  %19 = chlo.erf %11 : tensor<3xf32> -> tensor<3xf32>
  %20 = stablehlo.abs %19 : tensor<3xf32>
  %21 = stablehlo.bitcast_convert %20 : (tensor<3xf32>) -> tensor<3xui32>
  %22 = stablehlo.shift_right_logical %21, %c_0 : tensor<3xui32>
  %c_3 = stablehlo.constant dense<1> : tensor<3xui32>
  %23 = stablehlo.and %22, %c_3 : tensor<3xui32>
  %c_4 = stablehlo.constant dense<524287> : tensor<3xui32>
  %24 = stablehlo.add %21, %c_4 : tensor<3xui32>
  %25 = stablehlo.add %24, %23 : tensor<3xui32>
  %c_5 = stablehlo.constant dense<4293918720> : tensor<3xui32>
  %26 = stablehlo.and %25, %c_5 : tensor<3xui32>
  %27 = stablehlo.bitcast_convert %26 : (tensor<3xui32>) -> tensor<3xf32>
  %cst_1 = stablehlo.constant dense<5.120000e+02> : tensor<3xf32>
  %28 = stablehlo.multiply %20, %cst_1 : tensor<3xf32>
  %29 = stablehlo.round_nearest_even %28 : tensor<3xf32>
  %cst_2 = stablehlo.constant dense<1.953125e-03> : tensor<3xf32>
  %30 = stablehlo.multiply %29, %cst_2 : tensor<3xf32>
  %cst_3 = stablehlo.constant dense<1.562500e-02> : tensor<3xf32>
  %31 = stablehlo.compare LT, %20, %cst_3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %32 = stablehlo.select %31, %30, %27 : tensor<3xi1>, tensor<3xf32>
  %cst_4 = stablehlo.constant dense<4.480000e+02> : tensor<3xf32>
  %33 = stablehlo.compare LE, %32, %cst_4, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %34 = stablehlo.select %33, %32, %cst_0 : tensor<3xi1>, tensor<3xf32>
  %35 = stablehlo.compare NE, %19, %19, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %36 = stablehlo.bitcast_convert %19 : (tensor<3xf32>) -> tensor<3xui32>
  %c_6 = stablehlo.constant dense<2147483648> : tensor<3xui32>
  %37 = stablehlo.and %36, %c_6 : tensor<3xui32>
  %38 = stablehlo.bitcast_convert %34 : (tensor<3xf32>) -> tensor<3xui32>
  %39 = stablehlo.or %38, %37 : tensor<3xui32>
  %40 = stablehlo.bitcast_convert %39 : (tensor<3xui32>) -> tensor<3xf32>
  %41 = stablehlo.select %35, %cst_0, %40 : tensor<3xi1>, tensor<3xf32>
  %42 = stablehlo.negate %17 : tensor<2x3xf32>
  %43 = stablehlo.abs %41 : tensor<3xf32>
  %cst_5 = stablehlo.constant dense<7.523164e-37> : tensor<3xf32>
  %44 = stablehlo.multiply %43, %cst_5 : tensor<3xf32>
  %45 = stablehlo.bitcast_convert %44 : (tensor<3xf32>) -> tensor<3xui32>
  %46 = stablehlo.shift_right_logical %45, %c_0 : tensor<3xui32>
  %47 = stablehlo.compare NE, %41, %41, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %48 = stablehlo.select %47, %c, %46 : tensor<3xi1>, tensor<3xui32>
  %49 = stablehlo.bitcast_convert %41 : (tensor<3xf32>) -> tensor<3xui32>
  %50 = stablehlo.shift_right_logical %49, %c_2 : tensor<3xui32>
  %51 = stablehlo.and %50, %c_1 : tensor<3xui32>
  %52 = stablehlo.or %48, %51 : tensor<3xui32>
  %53 = stablehlo.convert %52 : (tensor<3xui32>) -> tensor<3xui8>
  return %42, %18, %53 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<3xui8>
}
