// RUN: simplify | fuse
// One kernel, three passes over a row that stays in the first cache; exponentials are computed once and kept in a row buffer.
func.func @main(%x: tensor<32x1000xf32>) -> tensor<32x1000xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<32x1000xf32>, tensor<f32>) -> tensor<32xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<32xf32>) -> tensor<32x1000xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<32x1000xf32>
  %3 = stablehlo.exponential %2 : tensor<32x1000xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x1000xf32>, tensor<f32>) -> tensor<32xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xf32>) -> tensor<32x1000xf32>
  %6 = stablehlo.divide %3, %5 : tensor<32x1000xf32>
  return %6 : tensor<32x1000xf32>
}
// ----- becomes
program main (default; 4032 bytes of scratch; 256256 bytes never written) {
  %in0 : f32[32000]
  %out0 : f32[32000]
  %row2 : f32[1000] at 0
  kernel k0_div_32x1000 {
    parallel i : 32 {
      v1 = reducer maximum f32
      lanes j : 1000 by 16 x 4 {
        v3 = load %in0[1000 i + j] f32
        fold v1 v3
      }
      v6 = total v1 f32
      v7 = reducer add f32
      lanes j : 1000 by 16 x 4 {
        v9 = load %in0[1000 i + j] f32
        v10 = subtract v9, v6 f32
        v11 = exponential v10 f32
        store %row2[j] v11
        fold v7 v11
      }
      v15 = total v7 f32
      lanes j : 1000 by 16 x 4 {
        v17 = load %row2[j] f32
        v18 = divide v17, v15 f32
        store %out0[1000 i + j] v18
      }
    }
  }
}
