// RUN: fuse
// Each lane has its choice: all arrays are read in a row, none is gathered.
func.func @main(%i: tensor<100xi32>, %x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %0 = stablehlo.reshape %x : (tensor<100xf32>) -> tensor<1x100xf32>
  %1 = stablehlo.reshape %y : (tensor<100xf32>) -> tensor<1x100xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x100xf32>, tensor<1x100xf32>) -> tensor<2x100xf32>
  %3 = stablehlo.iota dim = 0 : tensor<100xi32>
  %4 = stablehlo.reshape %i : (tensor<100xi32>) -> tensor<100x1xi32>
  %5 = stablehlo.reshape %3 : (tensor<100xi32>) -> tensor<100x1xi32>
  %6 = stablehlo.concatenate %4, %5, dim = 1 : (tensor<100x1xi32>, tensor<100x1xi32>) -> tensor<100x2xi32>
  %7 = "stablehlo.gather"(%2, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<2x100xf32>, tensor<100x2xi32>) -> tensor<100xf32>
  return %7 : tensor<100xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : i32[100]
  %in1 : f32[100]
  %in2 : f32[100]
  %out0 : f32[100]
  kernel k0_gather_100 {
    v0 = 0 i32
    v1 = 1 i32
    parallel lanes i : 100 by 16 x 4 {
      v3 = load %in0[i] i32
      v4 = maximum v3, v0 i32
      v5 = minimum v4, v1 i32
      v6 = v5 i32
      v7 = load %in2[i] f32
      v8 = compare lt v6, v1 bool
      v9 = load %in1[i] f32
      v10 = select v8, v9, v7 f32
      store %out0[i] v10
    }
  }
}
