// RUN: fuse
// An index that is divided by 2 goes by its rest: in each half the quotient is a loop's index, and what lies
// between the elements of the padding is known.
func.func @main(%x: tensor<40xf32>, %y: tensor<40xf32>) -> (tensor<80xf32>, tensor<83xf32>) {
  %a = stablehlo.reshape %x : (tensor<40xf32>) -> tensor<40x1xf32>
  %b = stablehlo.reshape %y : (tensor<40xf32>) -> tensor<40x1xf32>
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<40x1xf32>, tensor<40x1xf32>) -> tensor<40x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<40x2xf32>) -> tensor<80xf32>
  %f = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %2 = stablehlo.pad %x, %f, low = [2], high = [2], interior = [1] : (tensor<40xf32>, tensor<f32>) -> tensor<83xf32>
  return %1, %2 : tensor<80xf32>, tensor<83xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[40]
  %in1 : f32[40]
  %out0 : f32[80]
  %out1 : f32[83]
  kernel k0_reshape_80 {
    parallel lanes i : 40 by 16 x 4 {
      v1 = load %in0[i] f32
      store %out0[2 i] v1
      v3 = load %in1[i] f32
      store %out0[2 i + 1] v3
    }
  }
  kernel k1_pad_83 {
    v0 = 0.5 f32
    store %out1[0] v0
    store %out1[1] v0
    store %out1[82] v0
    parallel lanes i : 40 by 16 x 4 {
      v5 = load %in0[i] f32
      store %out1[2 i + 2] v5
      store %out1[2 i + 3] v0
    }
  }
}
