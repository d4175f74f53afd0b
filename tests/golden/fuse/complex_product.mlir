// RUN: planes | simplify | fuse
// One real product of twice as many columns and numbers in each sum; the left side and the result are as they lie.
func.func @main(%a: tensor<64x48xcomplex<f32>>, %b: tensor<48x32xcomplex<f32>>) -> tensor<64x32xcomplex<f32>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x48xcomplex<f32>>, tensor<48x32xcomplex<f32>>) -> tensor<64x32xcomplex<f32>>
  return %0 : tensor<64x32xcomplex<f32>>
}
// ----- becomes
program main (default; 24576 bytes of scratch; 22528 bytes never written) {
  %in0 : f32[6144]
  %in1 : f32[3072]
  %out0 : f32[4096]
  %temp3 : f32[6144] at 0
  kernel k0_reshape_96x64 {
    parallel i : 48 {
      lanes j : 32 by 16 x 4 {
        v2 = load %in1[64 i + 2 j] f32
        store %temp3[128 i + 2 j] v2
        v4 = load %in1[64 i + 2 j + 1] f32
        store %temp3[128 i + 2 j + 1] v4
        v6 = negate v4 f32
        store %temp3[128 i + 2 j + 64] v6
        store %temp3[128 i + 2 j + 65] v2
      }
    }
  }
  kernel k1_reshape_64x32x2 {
    parallel tile i : 64 x 8 {
      lanes j : 64 by 16 x 2 {
        v2 = reducer add f32
        loop k : 96 {
          v4 = load %in0[96 i + k] f32
          v5 = load %temp3[j + 64 k] f32
          v6 = multiply v4, v5 f32
          fold v2 v6
        }
        v9 = total v2 f32
        store %out0[64 i + j] v9
      }
    }
  }
}
