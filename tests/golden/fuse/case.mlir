// RUN: simplify | fuse
func.func @main(%i: tensor<i32>, %x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.sine %x : tensor<100xf32>
    stablehlo.return %1 : tensor<100xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<100xf32>
    stablehlo.return %1 : tensor<100xf32>
  }) : (tensor<i32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : i32[1]
  %in1 : f32[100]
  %out0 : f32[100]
  kernel k0_case_100 {
    v0 = load %in0[0] i32
    v1 = 0 i32
    v2 = compare eq v0, v1 bool
    parallel lanes i : 100 by 16 x 2 {
      v4 = load %in1[i] f32
      v5 = negate v4 f32
      v6 = sine v4 f32
      v7 = select v2, v6, v5 f32
      store %out0[i] v7
    }
  }
}
