// RUN: print
// What devices say to each other, where there is one: nothing.
func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<ui32>) {
  %0:2 = "stablehlo.all_reduce"(%arg0, %arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %1 = "stablehlo.all_gather"(%0#1) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "stablehlo.all_to_all"(%1) <{concat_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "stablehlo.reduce_scatter"(%3) <{replica_groups = dense<> : tensor<0x0xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = stablehlo.partition_id : tensor<ui32>
  %8 = stablehlo.replica_id : tensor<ui32>
  %9 = stablehlo.add %7, %8 : tensor<ui32>
  return %0#0, %2, %3, %4, %5, %6, %9 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<ui32>
}
// ----- becomes
func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<ui32>) {
  %c = stablehlo.constant dense<0> : tensor<ui32>
  %0 = stablehlo.add %c, %c : tensor<ui32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>
  return %arg0, %arg0, %arg0, %arg0, %arg0, %cst, %0 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<ui32>
}
