// RUN: fuse
// A reduction that is no monoid runs in order, with the accumulator as a carry.
func.func @main(%x: tensor<20x30xf32>, %s: tensor<f32>) -> tensor<20xf32> {
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<20x30xf32>, tensor<f32>) -> tensor<20xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.multiply %a, %half : tensor<f32>
    %2 = stablehlo.subtract %1, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<20xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[600]
  %in1 : f32[1]
  %out0 : f32[20]
  kernel k0_reduce_region_20 {
    v0 = load %in1[0] f32
    v1 = 0.5 f32
    parallel lanes i : 20 by 16 x 4 {
      v3 = carry v0 f32
      loop j : 30 {
        v5 = load %in0[30 i + j] f32
        v6 = multiply v3, v1 f32
        v7 = subtract v6, v5 f32
        set v3 v7
      }
      v10 = total v3 f32
      store %out0[i] v10
    }
  }
}
