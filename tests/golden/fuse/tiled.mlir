// RUN: fuse
// An index that is divided by a large number has two loops: of the quotient and of the rest.
func.func @main(%x: tensor<40xf32>, %y: tensor<800xf32>) -> tensor<800xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<40xf32>) -> tensor<20x40xf32>
  %1 = stablehlo.reshape %0 : (tensor<20x40xf32>) -> tensor<800xf32>
  %2 = stablehlo.add %1, %y : tensor<800xf32>
  return %2 : tensor<800xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[40]
  %in1 : f32[800]
  %out0 : f32[800]
  kernel k0_add_800 {
    parallel i : 20 {
      lanes j : 40 by 16 x 4 {
        v2 = load %in0[j] f32
        v3 = load %in1[40 i + j] f32
        v4 = add v2, v3 f32
        store %out0[40 i + j] v4
      }
    }
  }
}
