// RUN: raise | simplify | fuse
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<1000xf32>
  %1 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1000>, padding = dense<[[999, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<1000xf32>, tensor<f32>) -> tensor<1000xf32>
  return %1 : tensor<1000xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 4000 bytes never written) {
  %in0 : f32[1000]
  %out0 : f32[1000]
  kernel k0_cumulative_1000 {
    v0 = reducer add f32
    lanes i : 1000 by 16 x 4 {
      v2 = load %in0[i] f32
      v3 = multiply v2, v2 f32
      v4 = prefix v0 v3 f32
      store %out0[i] v4
    }
  }
}
