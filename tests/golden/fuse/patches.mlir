// RUN: fuse
// Patches put together to an image: walked by rows of patches, rows, patches, and a row of a patch has the lanes.
func.func @image(%x: tensor<196x768xf32>) -> tensor<224x224x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<196x768xf32>) -> tensor<14x14x16x16x3xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3, 4] : (tensor<14x14x16x16x3xf32>) -> tensor<14x16x14x16x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<14x16x14x16x3xf32>) -> tensor<224x224x3xf32>
  return %2 : tensor<224x224x3xf32>
}
// ----- becomes
program image (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[150528]
  %out0 : f32[150528]
  kernel k0_reshape_224x224x3 {
    parallel i : 14 {
      loop j : 16 {
        loop k : 14 {
          lanes l : 48 by 16 x 4 {
            v4 = load %in0[10752 i + 48 j + 768 k + l] f32
            store %out0[10752 i + 672 j + 48 k + l] v4
          }
        }
      }
    }
  }
}
