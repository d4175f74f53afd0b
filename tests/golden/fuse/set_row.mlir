// RUN: fuse
// A table filled row by row: only the row is written in a step, in the result's memory; the number of the step is the loop's counter.
func.func @fill(%w: tensor<16x16xf32>, %h0: tensor<16xf32>, %table: tensor<50x16xf32>) -> tensor<50x16xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.composite "weft.scan" %w, %first, %h0, %table {composite_attributes = {body = @step, carries = 3 : i64, invariants = 1 : i64, length = 50 : i64, reverse = false, unroll = 1 : i64}, decomposition = @step} : (tensor<16x16xf32>, tensor<i32>, tensor<16xf32>, tensor<50x16xf32>) -> (tensor<i32>, tensor<16xf32>, tensor<50x16xf32>)
  return %0#2 : tensor<50x16xf32>
}
func.func private @step(%w: tensor<16x16xf32>, %i: tensor<i32>, %h: tensor<16xf32>, %t: tensor<50x16xf32>) -> (tensor<i32>, tensor<16xf32>, tensor<50x16xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dot_general %w, %h, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = stablehlo.reshape %0 : (tensor<16xf32>) -> tensor<1x16xf32>
  %2 = stablehlo.dynamic_update_slice %t, %1, %i, %zero : (tensor<50x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<50x16xf32>
  %3 = stablehlo.add %i, %one : tensor<i32>
  return %3, %0, %2 : tensor<i32>, tensor<16xf32>, tensor<50x16xf32>
}
// ----- becomes
program fill (default; 1152 bytes of scratch; 0 bytes never written) {
  %in0 : f32[256]
  %in1 : f32[16]
  %in2 : f32[800]
  %out0 : f32[800]
  %temp4 : f32[16] at 1024
  %temp5 : f32[16] at 1088
  %temp7 : f32[256] at 0
  kernel k0_start {
    parallel lanes i : 16 by 16 x 4 {
      v1 = load %in1[i] f32
      store %temp4[i] v1
    }
  }
  kernel k1_start {
    parallel lanes i : 800 by 16 x 4 {
      v1 = load %in2[i] f32
      store %out0[i] v1
    }
  }
  kernel k2_pack_16x16 {
    parallel i : 16 {
      lanes j : 16 by 16 {
        v2 = load %in0[i + 16 j] f32
        store %temp7[16 i + j] v2
      }
    }
  }
  loop c0 : 50 {
    kernel k3_dot_16 {
      parallel lanes i : 16 by 16 {
        v1 = reducer add f32
        tile j : 16 x 8 {
          v3 = load %temp7[i + 16 j] f32
          v4 = load %temp4[j] f32
          v5 = multiply v3, v4 f32
          fold v1 v5
        }
        v8 = total v1 f32
        store %temp5[i] v8
      }
    }
    kernel k4_dynamic_update_slice_50x16 {
      v0 = counter 0 i64
      parallel lanes i : 16 by 16 x 4 {
        v2 = load %temp5[i] f32
        store %out0[i + 16 v0] v2
      }
    }
    swap %temp4 %temp5
  }
}
