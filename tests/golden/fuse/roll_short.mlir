// RUN: fuse
// A short last axis put together of parts is written out, with lanes along the rows: what one row has is stored together.
func.func @roll(%x: tensor<100x3xf32>) -> tensor<100x3xf32> {
  %0 = stablehlo.slice %x [0:100, 1:3] : (tensor<100x3xf32>) -> tensor<100x2xf32>
  %1 = stablehlo.slice %x [0:100, 0:1] : (tensor<100x3xf32>) -> tensor<100x1xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<100x2xf32>, tensor<100x1xf32>) -> tensor<100x3xf32>
  return %2 : tensor<100x3xf32>
}
// ----- becomes
program roll (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[300]
  %out0 : f32[300]
  kernel k0_concatenate_100x3 {
    parallel lanes i : 100 by 16 {
      v1 = load %in0[3 i + 1] f32
      v2 = load %in0[3 i + 2] f32
      v3 = load %in0[3 i] f32
      store %out0[3 i] v1
      store %out0[3 i + 1] v2
      store %out0[3 i + 2] v3
    }
  }
}
