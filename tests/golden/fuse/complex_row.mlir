// RUN: planes | simplify | fuse
// The matrix is read as it lies, once, row by row.
func.func @main(%a: tensor<1x400xcomplex<f32>>, %b: tensor<400x300xcomplex<f32>>) -> tensor<1x300xcomplex<f32>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x400xcomplex<f32>>, tensor<400x300xcomplex<f32>>) -> tensor<1x300xcomplex<f32>>
  return %0 : tensor<1x300xcomplex<f32>>
}
// ----- becomes
program main (default; 8000 bytes of scratch; 2400 bytes never written) {
  %in0 : f32[800]
  %in1 : f32[240000]
  %out0 : f32[600]
  %temp3 : f32[800] at 4800
  %temp4 : f32[1200] at 0
  kernel k0_reshape_2x400 {
    lanes i : 400 by 16 x 4 {
      v1 = load %in0[2 i] f32
      store %temp3[i] v1
      v3 = load %in0[2 i + 1] f32
      store %temp3[i + 400] v3
    }
  }
  kernel k1_dot_600x2 {
    parallel lanes i : 600 by 16 x 4 {
      v1 = reducer add f32
      v2 = reducer add f32
      loop j : 400 {
        v4 = load %in1[i + 600 j] f32
        v5 = load %temp3[j] f32
        v6 = multiply v4, v5 f32
        fold v1 v6
        v8 = load %temp3[j + 400] f32
        v9 = multiply v4, v8 f32
        fold v2 v9
      }
      v12 = total v1 f32
      v13 = total v2 f32
      store %temp4[2 i] v12
      store %temp4[2 i + 1] v13
    }
  }
  kernel k2_concatenate_1x300x2 {
    parallel lanes i : 300 by 16 {
      v1 = load %temp4[4 i] f32
      v2 = load %temp4[4 i + 3] f32
      v3 = subtract v1, v2 f32
      v4 = load %temp4[4 i + 1] f32
      v5 = load %temp4[4 i + 2] f32
      v6 = add v4, v5 f32
      store %out0[2 i] v3
      store %out0[2 i + 1] v6
    }
  }
}
