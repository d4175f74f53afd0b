// RUN: fuse
// Squares of 16 x 16: loads along one axis, stores along the other.
func.func @main(%x: tensor<64x80xf32>, %y: tensor<80x64xf32>) -> tensor<80x64xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x80xf32>) -> tensor<80x64xf32>
  %1 = stablehlo.add %0, %y : tensor<80x64xf32>
  return %1 : tensor<80x64xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[5120]
  %in1 : f32[5120]
  %out0 : f32[5120]
  kernel k0_add_80x64 {
    parallel tile i : 80 x 16 {
      lanes j : 64 by 16 {
        v2 = load %in0[i + 80 j] f32
        v3 = load %in1[64 i + j] f32
        v4 = add v2, v3 f32
        store %out0[64 i + j] v4
      }
    }
  }
}
