// RUN: fuse
// A loop per part, each storing where it belongs.
func.func @main(%x: tensor<30xf32>, %y: tensor<50xf32>) -> tensor<80xf32> {
  %0 = stablehlo.negate %y : tensor<50xf32>
  %1 = stablehlo.concatenate %x, %0, dim = 0 : (tensor<30xf32>, tensor<50xf32>) -> tensor<80xf32>
  return %1 : tensor<80xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 200 bytes never written) {
  %in0 : f32[30]
  %in1 : f32[50]
  %out0 : f32[80]
  kernel k0_concatenate_80 {
    parallel lanes i : 30 by 16 x 4 {
      v1 = load %in0[i] f32
      store %out0[i] v1
    }
    parallel lanes i : 50 by 16 x 4 {
      v5 = load %in1[i] f32
      v6 = negate v5 f32
      store %out0[i + 30] v6
    }
  }
}
