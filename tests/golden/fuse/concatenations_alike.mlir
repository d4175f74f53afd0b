// RUN: fuse
// Real and imaginary parts of two numbers' sum and difference: two concatenations whose parts are alike, and
// read the same array, are one kernel. The third one's parts are of other shapes.
func.func @alike(%x: tensor<4x100xf32>) -> (tensor<2x100xf32>, tensor<2x100xf32>, tensor<3x100xf32>) {
  %a = stablehlo.slice %x [0:1, 0:100] : (tensor<4x100xf32>) -> tensor<1x100xf32>
  %b = stablehlo.slice %x [1:2, 0:100] : (tensor<4x100xf32>) -> tensor<1x100xf32>
  %c = stablehlo.slice %x [2:3, 0:100] : (tensor<4x100xf32>) -> tensor<1x100xf32>
  %d = stablehlo.slice %x [3:4, 0:100] : (tensor<4x100xf32>) -> tensor<1x100xf32>
  %s = stablehlo.add %a, %b : tensor<1x100xf32>
  %t = stablehlo.subtract %c, %d : tensor<1x100xf32>
  %u = stablehlo.add %s, %t : tensor<1x100xf32>
  %v = stablehlo.subtract %s, %t : tensor<1x100xf32>
  %w = stablehlo.multiply %s, %t : tensor<1x100xf32>
  %m = stablehlo.maximum %s, %t : tensor<1x100xf32>
  %cd = stablehlo.slice %x [2:4, 0:100] : (tensor<4x100xf32>) -> tensor<2x100xf32>
  %re = stablehlo.concatenate %u, %v, dim = 0 : (tensor<1x100xf32>, tensor<1x100xf32>) -> tensor<2x100xf32>
  %im = stablehlo.concatenate %w, %m, dim = 0 : (tensor<1x100xf32>, tensor<1x100xf32>) -> tensor<2x100xf32>
  %other = stablehlo.concatenate %u, %cd, dim = 0 : (tensor<1x100xf32>, tensor<2x100xf32>) -> tensor<3x100xf32>
  return %re, %im, %other : tensor<2x100xf32>, tensor<2x100xf32>, tensor<3x100xf32>
}
// ----- becomes
program alike (default; 0 bytes of scratch; 2400 bytes never written) {
  %in0 : f32[400]
  %out0 : f32[200]
  %out1 : f32[200]
  %out2 : f32[300]
  kernel k0_concatenate_2x100 {
    parallel lanes i : 100 by 16 x 4 {
      v1 = load %in0[i] f32
      v2 = load %in0[i + 100] f32
      v3 = add v1, v2 f32
      v4 = load %in0[i + 200] f32
      v5 = load %in0[i + 300] f32
      v6 = subtract v4, v5 f32
      v7 = multiply v3, v6 f32
      store %out1[i] v7
      v9 = maximum v3, v6 f32
      store %out1[i + 100] v9
      v11 = add v3, v6 f32
      store %out0[i] v11
      v13 = subtract v3, v6 f32
      store %out0[i + 100] v13
    }
  }
  kernel k1_concatenate_3x100 {
    parallel lanes i : 100 by 16 x 4 {
      v1 = load %in0[i] f32
      v2 = load %in0[i + 100] f32
      v3 = add v1, v2 f32
      v4 = load %in0[i + 200] f32
      v5 = load %in0[i + 300] f32
      v6 = subtract v4, v5 f32
      v7 = add v3, v6 f32
      store %out2[i] v7
    }
    parallel lanes i : 200 by 16 x 4 {
      v11 = load %in0[i + 200] f32
      store %out2[i + 100] v11
    }
  }
}
