// RUN: fuse
// What a view is made of is computed for the loop, in the shape in which it comes; of a part of it only the part.
func.func @computed(%x: tensor<12x8xf32>, %y: tensor<90x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.tanh %x : tensor<12x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<12x8xf32>) -> tensor<3x32xf32>
  %2 = stablehlo.tanh %y : tensor<90x4xf32>
  %3 = stablehlo.slice %2 [0:3, 0:4] : (tensor<90x4xf32>) -> tensor<3x4xf32>
  %4 = stablehlo.composite "weft.scan" %1, %3 {composite_attributes = {body = @step, carries = 0 : i64, invariants = 0 : i64, length = 3 : i64, reverse = true, unroll = 1 : i64}, decomposition = @step} : (tensor<3x32xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %4 : tensor<3x4xf32>
}
func.func private @step(%x: tensor<32xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.divide %y, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// ----- becomes
program computed (default; 448 bytes of scratch; 1452 bytes never written) {
  %in0 : f32[96]
  %in1 : f32[360]
  %out0 : f32[12]
  %temp3 : f32[96] at 0
  %temp4 : f32[12] at 384
  kernel k0_tanh_12x8 {
    parallel lanes i : 96 by 16 x 2 {
      v1 = load %in0[i] f32
      v2 = tanh v1 f32
      store %temp3[i] v2
    }
  }
  kernel k1_slice_3x4 {
    parallel lanes i : 12 by 16 x 2 {
      v1 = load %in1[i] f32
      v2 = tanh v1 f32
      store %temp4[i] v2
    }
  }
  kernel k2_div_4 {
    v0 = 0 f32
    loop i : 3 {
      v2 = load %temp3[-32 i + 64] f32
      v3 = add v0, v2 f32
      v4 = load %temp3[-32 i + 65] f32
      v5 = add v0, v4 f32
      v6 = load %temp3[-32 i + 66] f32
      v7 = add v0, v6 f32
      v8 = load %temp3[-32 i + 67] f32
      v9 = add v0, v8 f32
      v10 = load %temp3[-32 i + 68] f32
      v11 = add v3, v10 f32
      v12 = load %temp3[-32 i + 69] f32
      v13 = add v5, v12 f32
      v14 = load %temp3[-32 i + 70] f32
      v15 = add v7, v14 f32
      v16 = load %temp3[-32 i + 71] f32
      v17 = add v9, v16 f32
      v18 = load %temp3[-32 i + 72] f32
      v19 = add v11, v18 f32
      v20 = load %temp3[-32 i + 73] f32
      v21 = add v13, v20 f32
      v22 = load %temp3[-32 i + 74] f32
      v23 = add v15, v22 f32
      v24 = load %temp3[-32 i + 75] f32
      v25 = add v17, v24 f32
      v26 = load %temp3[-32 i + 76] f32
      v27 = add v19, v26 f32
      v28 = load %temp3[-32 i + 77] f32
      v29 = add v21, v28 f32
      v30 = load %temp3[-32 i + 78] f32
      v31 = add v23, v30 f32
      v32 = load %temp3[-32 i + 79] f32
      v33 = add v25, v32 f32
      v34 = load %temp3[-32 i + 80] f32
      v35 = add v27, v34 f32
      v36 = load %temp3[-32 i + 81] f32
      v37 = add v29, v36 f32
      v38 = load %temp3[-32 i + 82] f32
      v39 = add v31, v38 f32
      v40 = load %temp3[-32 i + 83] f32
      v41 = add v33, v40 f32
      v42 = load %temp3[-32 i + 84] f32
      v43 = add v35, v42 f32
      v44 = load %temp3[-32 i + 85] f32
      v45 = add v37, v44 f32
      v46 = load %temp3[-32 i + 86] f32
      v47 = add v39, v46 f32
      v48 = load %temp3[-32 i + 87] f32
      v49 = add v41, v48 f32
      v50 = load %temp3[-32 i + 88] f32
      v51 = add v43, v50 f32
      v52 = load %temp3[-32 i + 89] f32
      v53 = add v45, v52 f32
      v54 = load %temp3[-32 i + 90] f32
      v55 = add v47, v54 f32
      v56 = load %temp3[-32 i + 91] f32
      v57 = add v49, v56 f32
      v58 = load %temp3[-32 i + 92] f32
      v59 = add v51, v58 f32
      v60 = load %temp3[-32 i + 93] f32
      v61 = add v53, v60 f32
      v62 = load %temp3[-32 i + 94] f32
      v63 = add v55, v62 f32
      v64 = load %temp3[-32 i + 95] f32
      v65 = add v57, v64 f32
      v66 = add v59, v63 f32
      v67 = add v61, v65 f32
      v68 = add v66, v67 f32
      v69 = load %temp4[-4 i + 8] f32
      v70 = divide v69, v68 f32
      store %out0[-4 i + 8] v70
      v72 = load %temp4[-4 i + 9] f32
      v73 = divide v72, v68 f32
      store %out0[-4 i + 9] v73
      v75 = load %temp4[-4 i + 10] f32
      v76 = divide v75, v68 f32
      store %out0[-4 i + 10] v76
      v78 = load %temp4[-4 i + 11] f32
      v79 = divide v78, v68 f32
      store %out0[-4 i + 11] v79
    }
  }
}
