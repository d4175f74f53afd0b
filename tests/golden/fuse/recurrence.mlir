// RUN: fuse
// Places that count: their range is known, so nothing is clamped and no index wraps. A loop of so few statements is one kernel, and what the last two steps stored is carried.
func.func @recurrence(%x: tensor<100xf32>) -> tensor<100xf32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.composite "weft.scan" %two, %x {composite_attributes = {body = @step, carries = 2 : i64, invariants = 0 : i64, length = 98 : i64, reverse = false, unroll = 1 : i64}, decomposition = @step} : (tensor<i32>, tensor<100xf32>) -> (tensor<i32>, tensor<100xf32>)
  return %0#1 : tensor<100xf32>
}
func.func private @step(%i: tensor<i32>, %y: tensor<100xf32>) -> (tensor<i32>, tensor<100xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.constant dense<100> : tensor<i32>
  %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.subtract %i, %two : tensor<i32>
  %2 = stablehlo.compare LT, %1, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %3 = stablehlo.add %1, %n : tensor<i32>
  %4 = stablehlo.select %2, %3, %1 : tensor<i1>, tensor<i32>
  %5 = stablehlo.dynamic_slice %y, %4, sizes = [1] : (tensor<100xf32>, tensor<i32>) -> tensor<1xf32>
  %6 = stablehlo.reshape %5 : (tensor<1xf32>) -> tensor<f32>
  %7 = stablehlo.subtract %i, %one : tensor<i32>
  %8 = stablehlo.dynamic_slice %y, %7, sizes = [1] : (tensor<100xf32>, tensor<i32>) -> tensor<1xf32>
  %9 = stablehlo.reshape %8 : (tensor<1xf32>) -> tensor<f32>
  %10 = stablehlo.multiply %9, %half : tensor<f32>
  %11 = stablehlo.add %6, %10 : tensor<f32>
  %12 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %13 = "stablehlo.scatter"(%y, %12, %11) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100xf32>, tensor<1xi32>, tensor<f32>) -> tensor<100xf32>
  %14 = stablehlo.add %i, %one : tensor<i32>
  return %14, %13 : tensor<i32>, tensor<100xf32>
}
// ----- becomes
program recurrence (default; 0 bytes of scratch; 3234 bytes never written) {
  %in0 : f32[100]
  %out0 : f32[100]
  kernel k0_start {
    parallel lanes i : 100 by 16 x 4 {
      v1 = load %in0[i] f32
      store %out0[i] v1
    }
  }
  kernel k1_scatter_100 {
    v0 = 0.5 f32
    v1 = load %out0[1] f32
    v2 = carry v1 f32
    v3 = load %out0[0] f32
    v4 = carry v3 f32
    loop i : 98 {
      v6 = multiply v2, v0 f32
      v7 = add v4, v6 f32
      store %out0[i + 2] v7
      set v2 v7
      set v4 v2
    }
  }
}
