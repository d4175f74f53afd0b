// RUN: simplify | fuse
// A scan is a loop of kernels.
func.func @main(%c: tensor<8xf32>, %x: tensor<16x8xf32>) -> (tensor<8xf32>, tensor<16x8xf32>) {
  %0:2 = chlo.scan(%x) inits(%c) dimension=0 {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %1 = stablehlo.multiply %a, %b : tensor<8xf32>
    %2 = stablehlo.tanh %1 : tensor<8xf32>
    stablehlo.return %2, %2 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<16x8xf32>, tensor<8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>)
  return %0#1, %0#0 : tensor<8xf32>, tensor<16x8xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[8]
  %in1 : f32[128]
  %out0 : f32[8]
  %out1 : f32[128]
  kernel k0_scan_8 {
    parallel lanes i : 8 by 16 x 2 {
      v1 = load %in0[i] f32
      v2 = carry v1 f32
      loop j : 16 {
        v4 = load %in1[i + 8 j] f32
        v5 = multiply v4, v2 f32
        v6 = tanh v5 f32
        store %out1[i + 8 j] v6
        set v2 v6
      }
      v10 = total v2 f32
      store %out0[i] v10
    }
  }
}
