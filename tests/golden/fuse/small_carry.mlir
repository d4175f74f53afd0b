// RUN: fuse
// A carry of a few elements: the step's loops are written out, and each element is a carry of one kernel.
func.func @rotations(%c: tensor<2x2xf32>, %x: tensor<100x2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.composite "weft.scan" %c, %x {composite_attributes = {body = @step, carries = 1 : i64, invariants = 0 : i64, length = 100 : i64, reverse = false, unroll = 1 : i64}, decomposition = @step} : (tensor<2x2xf32>, tensor<100x2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func private @step(%c: tensor<2x2xf32>, %a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %c, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// ----- becomes
program rotations (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[4]
  %in1 : f32[400]
  %out0 : f32[4]
  kernel k0_start {
    parallel lanes i : 4 by 16 x 4 {
      v1 = load %in0[i] f32
      store %out0[i] v1
    }
  }
  kernel k1_dot_2x2 {
    v0 = 0 f32
    v1 = load %out0[0] f32
    v2 = carry v1 f32
    v3 = load %out0[1] f32
    v4 = carry v3 f32
    v5 = load %out0[2] f32
    v6 = carry v5 f32
    v7 = load %out0[3] f32
    v8 = carry v7 f32
    loop i : 100 {
      v10 = load %in1[4 i] f32
      v11 = fma v2, v10, v0 f32
      v12 = load %in1[4 i + 2] f32
      v13 = fma v4, v12, v11 f32
      v14 = load %in1[4 i + 1] f32
      v15 = fma v2, v14, v0 f32
      v16 = load %in1[4 i + 3] f32
      v17 = fma v4, v16, v15 f32
      v18 = fma v6, v10, v0 f32
      v19 = fma v8, v12, v18 f32
      v20 = fma v6, v14, v0 f32
      v21 = fma v8, v16, v20 f32
      set v2 v13
      set v4 v17
      set v6 v19
      set v8 v21
    }
    v27 = total v2 f32
    store %out0[0] v27
    v29 = total v4 f32
    store %out0[1] v29
    v31 = total v6 f32
    store %out0[2] v31
    v33 = total v8 f32
    store %out0[3] v33
  }
}
