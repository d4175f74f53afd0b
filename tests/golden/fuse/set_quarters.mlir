// RUN: fuse
// Zeros whose quarters are set: none of them is a large part, but all together are. Each is computed where it is written, and no zero is stored.
func.func @quarters(%x: tensor<32x64xf32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<64x128xf32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %h = stablehlo.constant dense<32> : tensor<i32>
  %w = stablehlo.constant dense<64> : tensor<i32>
  %a = stablehlo.negate %x : tensor<32x64xf32>
  %b = stablehlo.abs %x : tensor<32x64xf32>
  %c = stablehlo.multiply %x, %x : tensor<32x64xf32>
  %0 = stablehlo.dynamic_update_slice %zero, %x, %c0, %c0 : (tensor<64x128xf32>, tensor<32x64xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  %1 = stablehlo.dynamic_update_slice %0, %a, %h, %c0 : (tensor<64x128xf32>, tensor<32x64xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  %2 = stablehlo.dynamic_update_slice %1, %b, %c0, %w : (tensor<64x128xf32>, tensor<32x64xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  %3 = stablehlo.dynamic_update_slice %2, %c, %h, %w : (tensor<64x128xf32>, tensor<32x64xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}
// ----- becomes
program quarters (default; 0 bytes of scratch; 122880 bytes never written) {
  %in0 : f32[2048]
  %out0 : f32[8192]
  kernel k0_dynamic_update_slice_64x128 {
    parallel i : 32 {
      lanes j : 64 by 16 x 4 {
        v2 = load %in0[64 i + j] f32
        store %out0[128 i + j] v2
        v4 = abs v2 f32
        store %out0[128 i + j + 64] v4
        v6 = negate v2 f32
        store %out0[128 i + j + 4096] v6
        v8 = multiply v2, v2 f32
        store %out0[128 i + j + 4160] v8
      }
    }
  }
}
