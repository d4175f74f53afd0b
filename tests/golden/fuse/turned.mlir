// RUN: fuse
// A quarter of a turn: pixels of 4 bytes, which lie across and backwards, go through registers in squares.
func.func @turned(%x: tensor<64x96x4xui8>) -> tensor<96x64x4xui8> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<64x96x4xui8>) -> tensor<96x64x4xui8>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<96x64x4xui8>
  return %1 : tensor<96x64x4xui8>
}
// ----- becomes
program turned (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : u8[24576]
  %out0 : u8[24576]
  kernel k0_reverse_96x64x4 {
    parallel tile i : 96 x 16 {
      lanes j : 64 by 16 {
        v2 = load %in0[-4 i + 384 j + 380] u8
        v3 = load %in0[-4 i + 384 j + 381] u8
        v4 = load %in0[-4 i + 384 j + 382] u8
        v5 = load %in0[-4 i + 384 j + 383] u8
        store %out0[256 i + 4 j] v2
        store %out0[256 i + 4 j + 1] v3
        store %out0[256 i + 4 j + 2] v4
        store %out0[256 i + 4 j + 3] v5
      }
    }
  }
}
