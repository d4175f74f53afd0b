// RUN: fuse
// Keys of which zeros and NaNs are equal, and what goes along: neighbours change places only where the second
// stands strictly before the first.
func.func @pairs(%x: tensor<2x1000xf32>, %y: tensor<2x1000xui8>) -> (tensor<2x1000xf32>, tensor<2x1000xui8>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<ui8>, %d: tensor<ui8>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x1000xf32>, tensor<2x1000xui8>) -> (tensor<2x1000xf32>, tensor<2x1000xui8>)
  return %0#0, %0#1 : tensor<2x1000xf32>, tensor<2x1000xui8>
}
// ----- becomes
program pairs (default; 0 bytes of scratch; 35000 bytes never written) {
  %in0 : f32[2000]
  %in1 : u8[2000]
  %out0 : f32[2000]
  %out1 : u8[2000]
  kernel k0_concatenate_2x1000 {
    parallel lanes i : 1000 by 16 x 4 {
      v1 = load %in0[i] f32
      v2 = load %in0[i + 1000] f32
      v3 = compare le v1, v2 bool
      v4 = not v3 bool
      v5 = compare eq v2, v2 bool
      v6 = and v4, v5 bool
      v7 = load %in1[i + 1000] u8
      v8 = load %in1[i] u8
      v9 = select v6, v7, v8 u8
      store %out1[i] v9
      v11 = xor v8, v7 u8
      v12 = xor v11, v9 u8
      store %out1[i + 1000] v12
      v14 = bitcast_convert v2 i32
      v15 = bitcast_convert v1 i32
      v16 = select v6, v14, v15 i32
      v17 = bitcast_convert v16 f32
      store %out0[i] v17
      v19 = xor v15, v14 i32
      v20 = xor v19, v16 i32
      v21 = bitcast_convert v20 f32
      store %out0[i + 1000] v21
    }
  }
}
