// RUN: simplify | fuse
// Nothing but the result is written.
func.func @main(%x: tensor<32x1000xf32>) -> tensor<32xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<32x1000xf32>, tensor<f32>) -> tensor<32xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<32xf32>) -> tensor<32x1000xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<32x1000xf32>
  %3 = stablehlo.exponential %2 : tensor<32x1000xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x1000xf32>, tensor<f32>) -> tensor<32xf32>
  %5 = stablehlo.log %4 : tensor<32xf32>
  %6 = stablehlo.add %5, %0 : tensor<32xf32>
  return %6 : tensor<32xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 256384 bytes never written) {
  %in0 : f32[32000]
  %out0 : f32[32]
  kernel k0_add_32 {
    parallel i : 32 {
      v1 = reducer maximum f32
      lanes j : 1000 by 16 x 4 {
        v3 = load %in0[1000 i + j] f32
        fold v1 v3
      }
      v6 = reducer add f32
      v7 = total v1 f32
      lanes j : 1000 by 16 x 4 {
        v9 = load %in0[1000 i + j] f32
        v10 = subtract v9, v7 f32
        v11 = exponential v10 f32
        fold v6 v11
      }
      v14 = total v6 f32
      v15 = log v14 f32
      v16 = add v15, v7 f32
      store %out0[i] v16
    }
  }
}
