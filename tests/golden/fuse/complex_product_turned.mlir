// RUN: planes | simplify | fuse
// The right side is the larger one, and its sums lie along its rows: it is read as it lies, the left one written out.
func.func @main(%a: tensor<12x40xcomplex<f32>>, %b: tensor<300x40xcomplex<f32>>) -> tensor<12x300xcomplex<f32>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<12x40xcomplex<f32>>, tensor<300x40xcomplex<f32>>) -> tensor<12x300xcomplex<f32>>
  return %0 : tensor<12x300xcomplex<f32>>
}
// ----- becomes
program main (default; 36480 bytes of scratch; 1920 bytes never written) {
  %in0 : f32[960]
  %in1 : f32[24000]
  %out0 : f32[7200]
  %temp3 : f32[1920] at 0
  %temp4 : f32[7200] at 0
  %temp5 : f32[1920] at 28800
  kernel k0_reshape_24x80 {
    parallel i : 12 {
      lanes j : 40 by 16 x 4 {
        v2 = load %in0[80 i + 2 j] f32
        store %temp3[160 i + 2 j] v2
        v4 = load %in0[80 i + 2 j + 1] f32
        v5 = negate v4 f32
        store %temp3[160 i + 2 j + 1] v5
        store %temp3[160 i + 2 j + 80] v4
        store %temp3[160 i + 2 j + 81] v2
      }
    }
  }
  kernel k1_pack_24x80 {
    parallel tile i : 80 x 16 {
      lanes j : 24 by 16 {
        v2 = load %temp3[i + 80 j] f32
        store %temp5[24 i + j] v2
      }
    }
  }
  kernel k2_dot_300x24 {
    parallel tile i : 300 x 8 {
      lanes j : 24 by 16 x 2 {
        v2 = reducer add f32
        loop k : 80 {
          v4 = load %in1[80 i + k] f32
          v5 = load %temp5[j + 24 k] f32
          v6 = multiply v4, v5 f32
          fold v2 v6
        }
        v9 = total v2 f32
        store %temp4[24 i + j] v9
      }
    }
  }
  kernel k3_concatenate_12x300x2 {
    parallel tile i : 12 x 8 {
      lanes j : 300 by 8 {
        v2 = load %temp4[2 i + 24 j] f32
        v3 = load %temp4[2 i + 24 j + 1] f32
        store %out0[600 i + 2 j] v2
        store %out0[600 i + 2 j + 1] v3
      }
    }
  }
}
