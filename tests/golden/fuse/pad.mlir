// RUN: fuse
// Where the index is outside the operand nothing is loaded.
func.func @main(%x: tensor<30xf32>) -> tensor<34xf32> {
  %f = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %0 = stablehlo.pad %x, %f, low = [1], high = [3], interior = [0] : (tensor<30xf32>, tensor<f32>) -> tensor<34xf32>
  %1 = stablehlo.negate %0 : tensor<34xf32>
  return %1 : tensor<34xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[30]
  %out0 : f32[34]
  kernel k0_neg_34 {
    v0 = -0.5 f32
    store %out0[0] v0
    parallel lanes i : 30 by 16 x 4 {
      v3 = load %in0[i] f32
      v4 = negate v3 f32
      store %out0[i + 1] v4
    }
    parallel lanes i : 3 by 16 x 4 {
      store %out0[i + 31] v0
    }
  }
}
