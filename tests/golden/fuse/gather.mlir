// RUN: fuse
// The clamped position is computed once per row.
func.func @main(%x: tensor<10x64xf32>, %at: tensor<30xi32>) -> tensor<30x64xf32> {
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<10x64xf32>, tensor<30xi32>) -> tensor<30x64xf32>
  %1 = stablehlo.abs %0 : tensor<30x64xf32>
  return %1 : tensor<30x64xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 7680 bytes never written) {
  %in0 : f32[640]
  %in1 : i32[30]
  %out0 : f32[1920]
  kernel k0_abs_30x64 {
    v0 = 0 i32
    v1 = 9 i32
    parallel i : 30 {
      v3 = load %in1[i] i32
      v4 = maximum v3, v0 i32
      v5 = minimum v4, v1 i32
      lanes j : 64 by 16 x 4 {
        v7 = load %in0[j + 64 v5] f32
        v8 = abs v7 f32
        store %out0[64 i + j] v8
      }
    }
  }
}
