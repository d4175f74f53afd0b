// RUN: simplify | fuse
// All pairs of rows: one side is copied with its axes swapped, then it is a contraction like a product.
func.func @main(%q: tensor<64x24xf32>, %r: tensor<128x24xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.broadcast_in_dim %q, dims = [0, 2] : (tensor<64x24xf32>) -> tensor<64x128x24xf32>
  %1 = stablehlo.broadcast_in_dim %r, dims = [1, 2] : (tensor<128x24xf32>) -> tensor<64x128x24xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<64x128x24xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<64x128x24xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<64x128x24xf32>, tensor<f32>) -> tensor<64x128xf32>
  return %4 : tensor<64x128xf32>
}
// ----- becomes
program main (default; 12288 bytes of scratch; 1572864 bytes never written) {
  %in0 : f32[1536]
  %in1 : f32[3072]
  %out0 : f32[8192]
  %temp3 : f32[3072] at 0
  kernel k0_pack_128x24 {
    parallel tile i : 24 x 16 {
      lanes j : 128 by 16 {
        v2 = load %in1[i + 24 j] f32
        store %temp3[128 i + j] v2
      }
    }
  }
  kernel k1_reduce_64x128 {
    parallel tile i : 64 x 4 {
      lanes j : 128 by 16 x 2 {
        v2 = reducer add f32
        loop k : 24 {
          v4 = load %in0[24 i + k] f32
          v5 = load %temp3[j + 128 k] f32
          v6 = subtract v4, v5 f32
          v7 = multiply v6, v6 f32
          fold v2 v7
        }
        v10 = total v2 f32
        store %out0[128 i + j] v10
      }
    }
  }
}
