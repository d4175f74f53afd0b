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
      v11 = multiply v2, v10 f32
      v12 = add v0, v11 f32
      v13 = load %in1[4 i + 2] f32
      v14 = multiply v4, v13 f32
      v15 = add v12, v14 f32
      v16 = load %in1[4 i + 1] f32
      v17 = multiply v2, v16 f32
      v18 = add v0, v17 f32
      v19 = load %in1[4 i + 3] f32
      v20 = multiply v4, v19 f32
      v21 = add v18, v20 f32
      v22 = multiply v6, v10 f32
      v23 = add v0, v22 f32
      v24 = multiply v8, v13 f32
      v25 = add v23, v24 f32
      v26 = multiply v6, v16 f32
      v27 = add v0, v26 f32
      v28 = multiply v8, v19 f32
      v29 = add v27, v28 f32
      set v2 v15
      set v4 v21
      set v6 v25
      set v8 v29
    }
    v35 = total v2 f32
    store %out0[0] v35
    v37 = total v4 f32
    store %out0[1] v37
    v39 = total v6 f32
    store %out0[2] v39
    v41 = total v8 f32
    store %out0[3] v41
  }
}
