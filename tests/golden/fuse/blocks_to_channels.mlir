// RUN: fuse
// Blocks of 2 x 2 pixels of 3 colours become channels: rows of 12 are walked by the two runs that they are made of.
func.func @blocks(%x: tensor<64x64x3xf32>) -> tensor<32x32x12xf32> {
  %0 = stablehlo.reshape %x : (tensor<64x64x3xf32>) -> tensor<32x2x32x2x3xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3, 4] : (tensor<32x2x32x2x3xf32>) -> tensor<32x32x2x2x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<32x32x2x2x3xf32>) -> tensor<32x32x12xf32>
  return %2 : tensor<32x32x12xf32>
}
// ----- becomes
program blocks (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[12288]
  %out0 : f32[12288]
  kernel k0_reshape_32x32x12 {
    parallel i : 32 {
      loop j : 32 {
        loop k : 2 {
          lanes l : 6 by 16 x 4 {
            v4 = load %in0[384 i + 6 j + 192 k + l] f32
            store %out0[384 i + 12 j + 6 k + l] v4
          }
        }
      }
    }
  }
}
