// RUN: print
// What jax.lax.approx_min_k prints for a CPU is the exact one, by the comparator that it names.
func.func public @main(%arg0: tensor<8x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8x3xi32>
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %1:2 = stablehlo.custom_call @ApproxTopK(%arg0, %0, %cst, %c) {backend_config = "", called_computations = [@top_k_lt_f32_comparator], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.949999988 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<8x3xf32>, tensor<8x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %1#0, %1#1 : tensor<2x3xf32>, tensor<2x3xi32>
}
func.func private @top_k_lt_f32_comparator(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
// ----- becomes
func.func @main(%arg0: tensor<8x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8x3xi32>
  %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
    %2 = stablehlo.compare LT, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8x3xf32>, tensor<8x3xi32>) -> (tensor<8x3xf32>, tensor<8x3xi32>)
  %3 = stablehlo.slice %1#0 [0:2, 0:3] : (tensor<8x3xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.slice %1#1 [0:2, 0:3] : (tensor<8x3xi32>) -> tensor<2x3xi32>
  return %3, %4 : tensor<2x3xf32>, tensor<2x3xi32>
}
