// RUN: fuse
// Small patches, each in a row of the result: walked by what the rows are made of, for nothing is divided then.
func.func @patches(%x: tensor<64x64xf32>) -> tensor<256x16xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<256x16xf32>
  %0 = stablehlo.reshape %x : (tensor<64x64xf32>) -> tensor<16x4x16x4xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<16x4x16x4xf32>) -> tensor<16x16x4x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<16x16x4x4xf32>) -> tensor<256x16xf32>
  %3 = stablehlo.multiply %2, %two : tensor<256x16xf32>
  return %3 : tensor<256x16xf32>
}
// ----- becomes
program patches (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[4096]
  %out0 : f32[4096]
  kernel k0_mul_256x16 {
    v0 = 2 f32
    parallel i : 16 {
      loop j : 16 {
        loop k : 4 {
          lanes l : 4 by 16 x 4 {
            v5 = load %in0[256 i + 4 j + 64 k + l] f32
            v6 = multiply v5, v0 f32
            store %out0[256 i + 16 j + 4 k + l] v6
          }
        }
      }
    }
  }
}
