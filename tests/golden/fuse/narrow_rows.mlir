// RUN: fuse
// The right side is read four times only: it is made wide as it is read.
func.func @main(%a: tensor<4x64xf16>, %b: tensor<64x80xf16>) -> tensor<4x80xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x64xf16>, tensor<64x80xf16>) -> tensor<4x80xf32>
  return %0 : tensor<4x80xf32>
}
// ----- becomes
program main (default; 1024 bytes of scratch; 20480 bytes never written) {
  %in0 : f16[256]
  %in1 : f16[5120]
  %out0 : f32[320]
  %temp3 : f32[256] at 0
  kernel k0_convert_4x64 {
    parallel lanes i : 256 by 16 x 4 {
      v1 = load %in0[i] f16
      v2 = convert v1 f32
      store %temp3[i] v2
    }
  }
  kernel k1_dot_4x80 {
    parallel tile i : 4 x 4 {
      lanes j : 80 by 16 x 2 {
        v2 = reducer add f32
        loop k : 64 {
          v4 = load %temp3[64 i + k] f32
          v5 = load %in1[j + 80 k] f16
          v6 = convert v5 f32
          v7 = multiply v4, v6 f32
          fold v2 v7
        }
        v10 = total v2 f32
        store %out0[80 i + j] v10
      }
    }
  }
}
