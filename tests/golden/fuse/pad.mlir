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
    v0 = 0 i32
    v1 = 30 i32
    v2 = 0.5 f32
    parallel lanes i : 34 by 16 x 4 {
      v4 = i - 1 i32
      v5 = compare ge v4, v0 bool
      v6 = compare lt v4, v1 bool
      v7 = and v5, v6 bool
      v8 = load %in0[i - 1] if v7 f32
      v9 = select v7, v8, v2 f32
      v10 = negate v9 f32
      store %out0[i] v10
    }
  }
}
