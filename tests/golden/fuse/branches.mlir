// RUN: fuse
// Each branch computes the result where it is wanted.
func.func @choose(%i: tensor<i32>, %x: tensor<40x30xf32>, %y: tensor<30x40xf32>) -> tensor<40x40xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<40x30xf32>, tensor<30x40xf32>) -> tensor<40x40xf32>
    stablehlo.return %1 : tensor<40x40xf32>
  }, {
    %c = stablehlo.constant dense<1.000000e+00> : tensor<40x40xf32>
    stablehlo.return %c : tensor<40x40xf32>
  }) : (tensor<i32>) -> tensor<40x40xf32>
  return %0 : tensor<40x40xf32>
}
// ----- becomes
program choose (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : i32[1]
  %in1 : f32[1200]
  %in2 : f32[1200]
  %out0 : f32[1600]
  case %in0 of 2 {
  branch
    kernel k0_dot_40x40 {
      parallel tile i : 40 x 4 {
        lanes j : 40 by 16 x 2 {
          v2 = reducer add f32
          loop k : 30 {
            v4 = load %in1[30 i + k] f32
            v5 = load %in2[j + 40 k] f32
            v6 = multiply v4, v5 f32
            fold v2 v6
          }
          v9 = total v2 f32
          store %out0[40 i + j] v9
        }
      }
    }
  branch
    kernel k1_copy {
      v0 = 1 f32
      parallel lanes i : 1600 by 16 x 4 {
        store %out0[i] v0
      }
    }
  }
}
