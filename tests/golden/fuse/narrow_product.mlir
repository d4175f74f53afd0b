// RUN: fuse
// Both sides are read so often that they are made wide before; a product of f32 is left.
func.func @main(%a: tensor<96x64xbf16>, %b: tensor<64x80xbf16>) -> tensor<96x80xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<96x64xbf16>, tensor<64x80xbf16>) -> tensor<96x80xbf16>
  return %0 : tensor<96x80xbf16>
}
// ----- becomes
program main (default; 45056 bytes of scratch; 30720 bytes never written) {
  %in0 : bf16[6144]
  %in1 : bf16[5120]
  %out0 : bf16[7680]
  %temp3 : f32[6144] at 0
  %temp4 : f32[5120] at 24576
  kernel k0_convert_96x64 {
    parallel lanes i : 6144 by 16 x 4 {
      v1 = load %in0[i] bf16
      v2 = convert v1 f32
      store %temp3[i] v2
    }
  }
  kernel k1_convert_64x80 {
    parallel lanes i : 5120 by 16 x 4 {
      v1 = load %in1[i] bf16
      v2 = convert v1 f32
      store %temp4[i] v2
    }
  }
  kernel k2_convert_96x80 {
    parallel tile i : 96 x 8 {
      lanes j : 80 by 16 x 2 {
        v2 = reducer add f32
        loop k : 64 {
          v4 = load %temp3[64 i + k] f32
          v5 = load %temp4[j + 80 k] f32
          v6 = multiply v4, v5 f32
          fold v2 v6
        }
        v9 = total v2 f32
        v10 = convert v9 bf16
        store %out0[80 i + j] v10
      }
    }
  }
}
