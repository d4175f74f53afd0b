// RUN: fuse
// Of a sort only the greatest is read, and where it stands: a fold of ints that have the floats' total order.
func.func @top_1(%x: tensor<8x1000xf32>) -> (tensor<8x1xf32>, tensor<8x1xi32>) {
  %0:2 = chlo.top_k(%x, k = 1) : tensor<8x1000xf32> -> (tensor<8x1xf32>, tensor<8x1xi32>)
  return %0#0, %0#1 : tensor<8x1xf32>, tensor<8x1xi32>
}
// ----- becomes
program top_1 (default; 0 bytes of scratch; 128192 bytes never written) {
  %in0 : f32[8000]
  %out0 : f32[8]
  %out1 : i32[8]
  kernel k0_reshape_8x1 {
    v0 = 31 i32
    v1 = 2147483647 i32
    parallel i : 8 {
      v3 = reducer argmax i32
      v4 = reducer maximum i32
      lanes j : 1000 by 16 x 4 {
        v6 = load %in0[1000 i + j] f32
        v7 = bitcast_convert v6 i32
        v8 = shift_right_arithmetic v7, v0 i32
        v9 = and v8, v1 i32
        v10 = xor v7, v9 i32
        v11 = j i32
        fold v3 v10 at v11
        fold v4 v10
      }
      v15 = total v3 i32
      store %out1[i] v15
      v17 = total v4 i32
      v18 = shift_right_arithmetic v17, v0 i32
      v19 = and v18, v1 i32
      v20 = xor v17, v19 i32
      v21 = bitcast_convert v20 f32
      store %out0[i] v21
    }
  }
}
