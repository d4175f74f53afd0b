// RUN: simplify | fuse
// The second of each four rows of pixels and what is beside it: an axis of one element goes, and pixels and colours are one loop all the same.
func.func @main(%x: tensor<80x50x3xf32>, %y: tensor<20x50x3xf32>) -> tensor<20x50x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<80x50x3xf32>) -> tensor<20x4x50x3xf32>
  %1 = stablehlo.slice %0 [0:20, 1:2, 0:50, 0:3] : (tensor<20x4x50x3xf32>) -> tensor<20x1x50x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<20x1x50x3xf32>) -> tensor<20x50x3xf32>
  %3 = stablehlo.add %2, %y : tensor<20x50x3xf32>
  return %3 : tensor<20x50x3xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[12000]
  %in1 : f32[3000]
  %out0 : f32[3000]
  kernel k0_add_20x50x3 {
    parallel i : 20 {
      lanes j : 150 by 16 x 4 {
        v2 = load %in0[600 i + j + 150] f32
        v3 = load %in1[150 i + j] f32
        v4 = add v2, v3 f32
        store %out0[150 i + j] v4
      }
    }
  }
}
