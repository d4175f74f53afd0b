// RUN: vmap 32 | simplify | fuse
// A loop for each point runs inside of the point's kernel.
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<100.0> : tensor<f32>
  %0:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<f32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %a, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.add %a, %a : tensor<f32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %j : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 128 bytes never written) {
  %in0 : f32[32]
  %out0 : f32[32]
  %out1 : i32[32]
  kernel k0_result_32 {
    v0 = 0 i32
    v1 = 100 f32
    v2 = 1 i32
    parallel lanes i : 32 by 16 x 4 {
      v4 = load %in0[i] f32
      v5 = carry v4 f32
      v6 = carry v0 i32
      while j {
        v8 = compare lt v5, v1 bool
        test v8
        v10 = add v5, v5 f32
        v11 = add v6, v2 i32
        set v5 v10
        set v6 v11
      }
      v15 = total v5 f32
      v16 = total v6 i32
      store %out1[i] v16
      store %out0[i] v15
    }
  }
}
