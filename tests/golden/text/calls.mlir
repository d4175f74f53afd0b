// RUN: print
// Calls are inlined, whatever the order of the funcs, and shared where they are equal.
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [], device_ids = dense<0> : tensor<1xi64>}}
  func.func public @main(%arg0: tensor<4xf32> {mhlo.layout_mode = "default", jax.arg_info = "x"} loc("x")) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = call @outer(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = func.call @pair(%0) {mhlo.frontend_attributes = {}} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %2 = stablehlo.add %1#0, %1#1 : tensor<4xf32> loc(#loc2)
    return %2 : tensor<4xf32> loc(#loc)
  } loc(#loc)
  func.func private @outer(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = call @pair(%arg0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %0#1 : tensor<4xf32>
  }
  func.func private @pair(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1 = stablehlo.exponential %arg0 : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("f.py":3:4)
#loc2 = loc("add"(#loc1))
// ----- becomes
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %arg0 : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.exponential %0 : tensor<4xf32>
  %3 = stablehlo.add %1, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
