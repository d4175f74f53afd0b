// RUN: fuse
// A counter that leaves the array: its place is clamped. Several steps store the same element, so what they store is loaded.
func.func @leaves(%x: tensor<8xf32>) -> tensor<8xf32> {
  %first = stablehlo.constant dense<-3> : tensor<i32>
  %0:2 = stablehlo.composite "weft.scan" %first, %x {composite_attributes = {body = @step, carries = 2 : i64, invariants = 0 : i64, length = 10 : i64, reverse = false, unroll = 1 : i64}, decomposition = @step} : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
  return %0#1 : tensor<8xf32>
}
func.func private @step(%i: tensor<i32>, %y: tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.constant dense<5.000000e-01> : tensor<1xf32>
  %1 = stablehlo.subtract %i, %one : tensor<i32>
  %2 = stablehlo.dynamic_slice %y, %1, sizes = [1] : (tensor<8xf32>, tensor<i32>) -> tensor<1xf32>
  %3 = stablehlo.add %2, %half : tensor<1xf32>
  %4 = stablehlo.dynamic_update_slice %y, %3, %i : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
  %5 = stablehlo.add %i, %one : tensor<i32>
  return %5, %4 : tensor<i32>, tensor<8xf32>
}
// ----- becomes
program leaves (default; 0 bytes of scratch; 120 bytes never written) {
  %in0 : f32[8]
  %out0 : f32[8]
  kernel k0_start {
    parallel lanes i : 8 by 16 x 4 {
      v1 = load %in0[i] f32
      store %out0[i] v1
    }
  }
  kernel k1_dynamic_update_slice_8 {
    v0 = 0 i64
    v1 = 0.5 f32
    loop i : 10 {
      v3 = i - 3 i64
      v4 = maximum v3, v0 i64
      v5 = i - 4 i64
      v6 = maximum v5, v0 i64
      v7 = load %out0[v6] f32
      v8 = add v7, v1 f32
      store %out0[v4] v8
    }
  }
}
