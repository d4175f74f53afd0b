// RUN: fuse
// Only what slices read of a sort is selected: positions 0 .. 3 of 1000.
func.func @top_k(%x: tensor<8x1000xf32>) -> (tensor<8x3xf32>, tensor<8x3xi32>) {
  %0:2 = chlo.top_k(%x, k = 3) : tensor<8x1000xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
  return %0#0, %0#1 : tensor<8x3xf32>, tensor<8x3xi32>
}
// ----- becomes
program top_k (default; 88256 bytes of scratch; 0 bytes never written) {
  %in0 : f32[8000]
  %out0 : f32[24]
  %out1 : i32[24]
  %temp3 : f32[8000] at 0
  %temp4 : i32[8000] at 32000
  %temp6 : i32[1] at 88192
  %temp7 : u8[24192] at 64000
  call sort(%in0, %temp6, %temp3, %temp4, %temp7) [2, 1, 8, 1000, 1, 0, 3, 3, 2, 64, 1, 11, 3, 0, 1]
  kernel k0_slice_8x3 {
    parallel i : 8 {
      lanes j : 3 by 16 x 4 {
        v2 = load %temp3[1000 i + j] f32
        store %out0[3 i + j] v2
      }
    }
  }
  kernel k1_slice_8x3 {
    parallel i : 8 {
      lanes j : 3 by 16 x 4 {
        v2 = load %temp4[1000 i + j] i32
        store %out1[3 i + j] v2
      }
    }
  }
}
