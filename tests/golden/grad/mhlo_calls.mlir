// RUN: vjp 0 | simplify
// As of chlo.erf and chlo.top_k.
func.func @main(%x: tensor<5xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<5xf32>) -> tensor<5xf32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%0) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %1#0 : tensor<2xf32>
}
// ----- becomes
func.func @main(%x: tensor<5xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<5xf32>) {
  %0 = chlo.erf %x : tensor<5xf32> -> tensor<5xf32>
  %1 = stablehlo.multiply %x, %x : tensor<5xf32>
  %2 = stablehlo.negate %1 : tensor<5xf32>
  %3 = stablehlo.exponential %2 : tensor<5xf32>
  %cst = stablehlo.constant dense<1.1283792e+00> : tensor<5xf32>
  %4 = stablehlo.multiply %cst, %3 : tensor<5xf32>
  %5 = stablehlo.iota dim = 0 : tensor<5xi32>
  %6:2 = "stablehlo.sort"(%0, %5) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
    %7 = stablehlo.compare GT, %arg2, %arg3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %7 : tensor<i1>
  }) : (tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>)
  %8 = stablehlo.slice %6#0 [0:2] : (tensor<5xf32>) -> tensor<2xf32>
  %9 = stablehlo.slice %6#1 [0:2] : (tensor<5xi32>) -> tensor<2xi32>
  %c = stablehlo.constant dense<0> : tensor<2xi32>
  %c_0 = stablehlo.constant dense<4> : tensor<2xi32>
  %10 = stablehlo.clamp %c, %9, %c_0 : tensor<2xi32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<5xf32>
  %11 = "stablehlo.scatter"(%cst_0, %10, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
    %12 = stablehlo.add %arg6, %arg7 : tensor<f32>
    stablehlo.return %12 : tensor<f32>
  }) : (tensor<5xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<5xf32>
  %13 = stablehlo.multiply %11, %4 : tensor<5xf32>
  return %8, %13 : tensor<2xf32>, tensor<5xf32>
}
