// RUN: planes | simplify | fuse
// Two real products. What the imaginary parts of real numbers would add is 0 or NaN, one number for each row.
func.func @main(%a: tensor<64x48xcomplex<f32>>, %b: tensor<48x32xf32>) -> tensor<64x32xcomplex<f32>> {
  %0 = stablehlo.convert %b : (tensor<48x32xf32>) -> tensor<48x32xcomplex<f32>>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : (tensor<64x48xcomplex<f32>>, tensor<48x32xcomplex<f32>>) -> tensor<64x32xcomplex<f32>>
  return %1 : tensor<64x32xcomplex<f32>>
}
// ----- becomes
program main (default; 0 bytes of scratch; 57856 bytes never written) {
  %in0 : f32[6144]
  %in1 : f32[1536]
  %out0 : f32[4096]
  kernel k0_concatenate_64x32x2 {
    v0 = 0 f32
    parallel tile i : 64 x 4 {
      v2 = reducer add f32
      v3 = reducer add f32
      lanes j : 48 by 16 x 4 {
        v5 = load %in0[96 i + 2 j + 1] f32
        v6 = multiply v5, v0 f32
        fold v2 v6
        v8 = load %in0[96 i + 2 j] f32
        v9 = multiply v8, v0 f32
        fold v3 v9
      }
      v12 = total v2 f32
      v13 = total v3 f32
      lanes j : 32 by 16 x 2 {
        v15 = reducer add f32
        v16 = reducer add f32
        loop k : 48 {
          v18 = load %in0[96 i + 2 k] f32
          v19 = load %in1[j + 32 k] f32
          v20 = multiply v18, v19 f32
          fold v15 v20
          v22 = load %in0[96 i + 2 k + 1] f32
          v23 = multiply v22, v19 f32
          fold v16 v23
        }
        v26 = total v15 f32
        v27 = subtract v26, v12 f32
        store %out0[64 i + 2 j] v27
        v29 = total v16 f32
        v30 = add v13, v29 f32
        store %out0[64 i + 2 j + 1] v30
      }
    }
  }
}
