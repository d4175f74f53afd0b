// RUN: fuse
// One step is one kernel: the packed copy of the matrix, which every step reads, is made before the loop; the carry's two buffers change names.
func.func @rnn(%w: tensor<16x16xf32>, %h0: tensor<16xf32>, %xs: tensor<9x16xf32>) -> (tensor<16xf32>, tensor<9x16xf32>) {
  %0:2 = stablehlo.composite "weft.scan" %w, %h0, %xs {composite_attributes = {body = @step, carries = 1 : i64, invariants = 1 : i64, length = 9 : i64, reverse = false, unroll = 1 : i64}, decomposition = @step} : (tensor<16x16xf32>, tensor<16xf32>, tensor<9x16xf32>) -> (tensor<16xf32>, tensor<9x16xf32>)
  return %0#0, %0#1 : tensor<16xf32>, tensor<9x16xf32>
}
func.func private @step(%w: tensor<16x16xf32>, %h: tensor<16xf32>, %x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = stablehlo.dot_general %w, %h, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = stablehlo.add %0, %x : tensor<16xf32>
  %2 = stablehlo.tanh %1 : tensor<16xf32>
  return %2, %2 : tensor<16xf32>, tensor<16xf32>
}
// ----- becomes
program rnn (default; 1088 bytes of scratch; 1152 bytes never written) {
  %in0 : f32[256]
  %in1 : f32[16]
  %in2 : f32[144]
  %out0 : f32[16]
  %out1 : f32[144]
  %temp5 : f32[16] at 1024
  %temp6 : f32[256] at 0
  kernel k0_start {
    parallel lanes i : 16 by 16 x 4 {
      v1 = load %in1[i] f32
      store %temp5[i] v1
    }
  }
  kernel k1_pack_16x16 {
    parallel i : 16 {
      lanes j : 16 by 16 {
        v2 = load %in0[i + 16 j] f32
        store %temp6[16 i + j] v2
      }
    }
  }
  loop c0 : 9 {
    kernel k2_tanh_16 {
      v0 = counter 0 i64
      parallel lanes i : 16 by 16 {
        v2 = reducer add f32
        tile j : 16 x 8 {
          v4 = load %temp6[i + 16 j] f32
          v5 = load %temp5[j] f32
          v6 = multiply v4, v5 f32
          fold v2 v6
        }
        v9 = total v2 f32
        v10 = load %in2[i + 16 v0] f32
        v11 = add v9, v10 f32
        v12 = tanh v11 f32
        store %out0[i] v12
        store %out1[i + 16 v0] v12
      }
    }
    swap %temp5 %out0
  }
  swap %temp5 %out0
}
