// RUN: simplify | fuse
// The distances are never written: each goes from its accumulator into the search for the least.
func.func @main(%q: tensor<64x24xf32>, %r: tensor<128x24xf32>) -> tensor<64xi32> {
  %0 = stablehlo.broadcast_in_dim %q, dims = [0, 2] : (tensor<64x24xf32>) -> tensor<64x128x24xf32>
  %1 = stablehlo.broadcast_in_dim %r, dims = [1, 2] : (tensor<128x24xf32>) -> tensor<64x128x24xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<64x128x24xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<64x128x24xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<64x128x24xf32>, tensor<f32>) -> tensor<64x128xf32>
  %5 = stablehlo.composite "weft.argmin" %4 {composite_attributes = {attr = array<i64: 1>}, decomposition = @weft.argmin_0} : (tensor<64x128xf32>) -> tensor<64xi32>
  return %5 : tensor<64xi32>
}
// ----- becomes
program main (default; 12288 bytes of scratch; 1605632 bytes never written) {
  %in0 : f32[1536]
  %in1 : f32[3072]
  %out0 : i32[64]
  %temp3 : f32[3072] at 0
  kernel k0_pack_128x24 {
    parallel tile i : 24 x 16 {
      lanes j : 128 by 16 {
        v2 = load %in1[i + 24 j] f32
        store %temp3[128 i + j] v2
      }
    }
  }
  kernel k1_argmin_64 {
    parallel tile i : 64 x 4 {
      v1 = reducer argmin f32
      lanes j : 128 by 16 x 2 {
        v3 = reducer add f32
        loop k : 24 {
          v5 = load %in0[24 i + k] f32
          v6 = load %temp3[j + 128 k] f32
          v7 = subtract v5, v6 f32
          v8 = multiply v7, v7 f32
          fold v3 v8
        }
        v11 = total v3 f32
        v12 = j i32
        fold v1 v11 at v12
      }
      v15 = total v1 i32
      store %out0[i] v15
    }
  }
}
