// RUN: simplify | fuse
// What is read at several places that data says is made once of its three operands, and gathered from memory, not made again of three gathers at each.
func.func @main(%x: tensor<64x80xf32>, %w: tensor<80xf32>, %b: tensor<80xf32>, %i: tensor<64xi32>, %j: tensor<64xi32>) -> tensor<64x64xf32> {
  %0 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<80xf32>) -> tensor<64x80xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<80xf32>) -> tensor<64x80xf32>
  %2 = stablehlo.multiply %x, %0 : tensor<64x80xf32>
  %3 = stablehlo.maximum %2, %1 : tensor<64x80xf32>
  %4 = "stablehlo.gather"(%3, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 64, 1>}> : (tensor<64x80xf32>, tensor<64xi32>) -> tensor<64x64xf32>
  %5 = "stablehlo.gather"(%3, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 64, 1>}> : (tensor<64x80xf32>, tensor<64xi32>) -> tensor<64x64xf32>
  %6 = stablehlo.add %4, %5 : tensor<64x64xf32>
  return %6 : tensor<64x64xf32>
}
// ----- becomes
program main (default; 20480 bytes of scratch; 53248 bytes never written) {
  %in0 : f32[5120]
  %in1 : f32[80]
  %in2 : f32[80]
  %in3 : i32[64]
  %in4 : i32[64]
  %out0 : f32[4096]
  %temp6 : f32[5120] at 0
  kernel k0_max_64x80 {
    parallel i : 64 {
      lanes j : 80 by 16 x 4 {
        v2 = load %in0[80 i + j] f32
        v3 = load %in1[j] f32
        v4 = multiply v2, v3 f32
        v5 = load %in2[j] f32
        v6 = maximum v4, v5 f32
        store %temp6[80 i + j] v6
      }
    }
  }
  kernel k1_add_64x64 {
    v0 = 0 i32
    v1 = 79 i32
    parallel i : 64 {
      lanes j : 64 by 16 x 4 {
        v4 = load %in3[j] i32
        v5 = maximum v4, v0 i32
        v6 = minimum v5, v1 i32
        v7 = load %temp6[80 i + v6] f32
        v8 = load %in4[j] i32
        v9 = maximum v8, v0 i32
        v10 = minimum v9, v1 i32
        v11 = load %temp6[80 i + v10] f32
        v12 = add v7, v11 f32
        store %out0[64 i + j] v12
      }
    }
  }
}
