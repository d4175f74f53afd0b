// RUN: simplify | fuse
// Points with three coordinates, divided by their norms, then turned: the short axis is written out, sums over it too, and lanes go across the points.
func.func @main(%x: tensor<1000x3xf32>, %r: tensor<3x3xf32>) -> tensor<1000x3xf32> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<1000x3xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1000x3xf32>, tensor<f32>) -> tensor<1000xf32>
  %2 = stablehlo.sqrt %1 : tensor<1000xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1000xf32>) -> tensor<1000x3xf32>
  %4 = stablehlo.divide %x, %3 : tensor<1000x3xf32>
  %5 = stablehlo.dot_general %4, %r, contracting_dims = [1] x [0] : (tensor<1000x3xf32>, tensor<3x3xf32>) -> tensor<1000x3xf32>
  return %5 : tensor<1000x3xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 32000 bytes never written) {
  %in0 : f32[3000]
  %in1 : f32[9]
  %out0 : f32[3000]
  kernel k0_dot_1000x3 {
    v0 = 0 f32
    v1 = load %in1[0] f32
    v2 = load %in1[3] f32
    v3 = load %in1[6] f32
    v4 = load %in1[1] f32
    v5 = load %in1[4] f32
    v6 = load %in1[7] f32
    v7 = load %in1[2] f32
    v8 = load %in1[5] f32
    v9 = load %in1[8] f32
    parallel lanes i : 1000 by 16 {
      v11 = load %in0[3 i] f32
      v12 = multiply v11, v11 f32
      v13 = add v0, v12 f32
      v14 = load %in0[3 i + 1] f32
      v15 = multiply v14, v14 f32
      v16 = add v13, v15 f32
      v17 = load %in0[3 i + 2] f32
      v18 = multiply v17, v17 f32
      v19 = add v16, v18 f32
      v20 = sqrt v19 f32
      v21 = divide v11, v20 f32
      v22 = fma v21, v1, v0 f32
      v23 = divide v14, v20 f32
      v24 = fma v23, v2, v22 f32
      v25 = divide v17, v20 f32
      v26 = fma v25, v3, v24 f32
      v27 = fma v21, v4, v0 f32
      v28 = fma v23, v5, v27 f32
      v29 = fma v25, v6, v28 f32
      v30 = fma v21, v7, v0 f32
      v31 = fma v23, v8, v30 f32
      v32 = fma v25, v9, v31 f32
      store %out0[3 i] v26
      store %out0[3 i + 1] v29
      store %out0[3 i + 2] v32
    }
  }
}
