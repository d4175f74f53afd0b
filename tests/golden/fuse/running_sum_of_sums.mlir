// RUN: raise | simplify | fuse
func.func @main(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = "stablehlo.reduce_window"(%0, %zero) <{padding = dense<[[63, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
// ----- becomes
program main (default; 256 bytes of scratch; 0 bytes never written) {
  %in0 : f32[64000]
  %out0 : f32[64]
  %temp2 : f32[64] at 0
  kernel k0_reduce_64 {
    parallel i : 64 {
      v1 = reducer add f32
      lanes j : 1000 by 16 x 4 {
        v3 = load %in0[1000 i + j] f32
        fold v1 v3
      }
      v6 = total v1 f32
      store %temp2[i] v6
    }
  }
  kernel k1_cumulative_64 {
    v0 = reducer add f32
    lanes i : 64 by 16 x 4 {
      v2 = load %temp2[i] f32
      v3 = prefix v0 v2 f32
      store %out0[i] v3
    }
  }
}
