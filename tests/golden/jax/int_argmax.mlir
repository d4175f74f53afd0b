module @jit_int_argmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x9xi32>) -> (tensor<4xi32> {jax.result_info = "result"}) {
    %0 = call @argmax(%arg0) : (tensor<4x9xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @argmax(%arg0: tensor<4x9xi32>) -> tensor<4xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x9xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<4x9xi32>, tensor<4x9xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<4xi32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x02000000FFFFFFFFFDFFFFFFFEFFFFFF02000000FFFFFFFF020000000000000000000000FDFFFFFF00000000FFFFFFFF02000000FDFFFFFFFEFFFFFF00000000010000000100000000000000FFFFFFFFFEFFFFFFFFFFFFFF0000000000000000FEFFFFFFFEFFFFFF01000000FEFFFFFFFEFFFFFFFEFFFFFF02000000FFFFFFFF00000000FDFFFFFFFFFFFFFF01000000"> : tensor<4x9xi32>
    %r:1 = call @main(%a0) : (tensor<4x9xi32>) -> (tensor<4xi32>)
    %e0 = stablehlo.constant dense<"0x00000000030000000800000003000000"> : tensor<4xi32>
    check.expect_eq %r#0, %e0 : tensor<4xi32>, tensor<4xi32>
    return
  }
}
