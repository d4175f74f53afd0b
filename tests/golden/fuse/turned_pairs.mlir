// RUN: fuse
// Rows in another order, flattened and put in turn: the rows have a loop, so nothing is divided.
func.func @main(%a: tensor<20x40xf32>, %b: tensor<20x40xf32>) -> tensor<800x2xf32> {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<20x40xf32>
  %1 = stablehlo.reshape %0 : (tensor<20x40xf32>) -> tensor<800x1xf32>
  %2 = stablehlo.reshape %b : (tensor<20x40xf32>) -> tensor<800x1xf32>
  %3 = stablehlo.concatenate %1, %2, dim = 1 : (tensor<800x1xf32>, tensor<800x1xf32>) -> tensor<800x2xf32>
  return %3 : tensor<800x2xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[800]
  %in1 : f32[800]
  %out0 : f32[1600]
  kernel k0_concatenate_800x2 {
    parallel i : 20 {
      lanes j : 40 by 16 {
        v2 = load %in0[-40 i + j + 760] f32
        v3 = load %in1[40 i + j] f32
        store %out0[80 i + 2 j] v2
        store %out0[80 i + 2 j + 1] v3
      }
    }
  }
}
