// RUN: planes | simplify | fuse
// The matrix is read as it lies, without a shuffle.
func.func @main(%a: tensor<60x50xcomplex<f32>>, %b: tensor<50xcomplex<f32>>) -> tensor<60xcomplex<f32>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<60x50xcomplex<f32>>, tensor<50xcomplex<f32>>) -> tensor<60xcomplex<f32>>
  return %0 : tensor<60xcomplex<f32>>
}
// ----- becomes
program main (default; 896 bytes of scratch; 680 bytes never written) {
  %in0 : f32[6000]
  %in1 : f32[100]
  %out0 : f32[120]
  %temp3 : f32[100] at 0
  %temp4 : f32[100] at 448
  kernel k0_reshape_100 {
    parallel lanes i : 50 by 16 x 4 {
      v1 = load %in1[2 i + 1] f32
      store %temp4[2 i] v1
      v3 = load %in1[2 i] f32
      store %temp4[2 i + 1] v3
      store %temp3[2 i] v3
      v6 = negate v1 f32
      store %temp3[2 i + 1] v6
    }
  }
  kernel k1_concatenate_60x2 {
    parallel tile i : 60 x 4 {
      v1 = reducer add f32
      v2 = reducer add f32
      lanes j : 100 by 16 x 2 {
        v4 = load %in0[100 i + j] f32
        v5 = load %temp3[j] f32
        v6 = multiply v4, v5 f32
        fold v1 v6
        v8 = load %temp4[j] f32
        v9 = multiply v4, v8 f32
        fold v2 v9
      }
      v12 = total v1 f32
      store %out0[2 i] v12
      v14 = total v2 f32
      store %out0[2 i + 1] v14
    }
  }
}
