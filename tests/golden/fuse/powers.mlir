// RUN: fuse
func.func @main(%x: tensor<64xf32>, %h: tensor<64xbf16>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xbf16>) {
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %c = stablehlo.convert %c5 : (tensor<i32>) -> tensor<f32>
  %five = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %down = stablehlo.constant dense<-2.500000e+00> : tensor<64xf32>
  %quarter = stablehlo.constant dense<-2.500000e-01> : tensor<f32>
  %other = stablehlo.constant dense<1.300000e+00> : tensor<64xf32>
  %three = stablehlo.constant dense<3.000000e+00> : tensor<64xbf16>
  %0 = stablehlo.power %x, %five : tensor<64xf32>
  %1 = stablehlo.power %x, %down : tensor<64xf32>
  %2 = chlo.broadcast_power %x, %quarter : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %3 = stablehlo.power %x, %other : tensor<64xf32>
  %4 = stablehlo.power %h, %three : tensor<64xbf16>
  return %0, %1, %2, %3, %4 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xbf16>
}
// ----- becomes
program main (default; 0 bytes of scratch; 3136 bytes never written) {
  %in0 : f32[64]
  %in1 : bf16[64]
  %out0 : f32[64]
  %out1 : f32[64]
  %out2 : f32[64]
  %out3 : f32[64]
  %out4 : bf16[64]
  kernel k0_pow_64 {
    v0 = 1.29999995 f32
    v1 = 1 f32
    v2 = -inf f32
    v3 = inf f32
    v4 = 0 f32
    parallel lanes i : 64 by 16 x 2 {
      v6 = load %in0[i] f32
      v7 = power v6, v0 f32
      store %out3[i] v7
      v9 = compare eq v6, v2 bool
      v10 = select v9, v3, v6 f32
      v11 = add v10, v4 f32
      v12 = sqrt v11 f32
      v13 = sqrt v12 f32
      v14 = divide v1, v13 f32
      store %out2[i] v14
      v16 = divide v1, v11 f32
      v17 = multiply v16, v16 f32
      v18 = sqrt v16 f32
      v19 = multiply v17, v18 f32
      store %out1[i] v19
      v21 = multiply v6, v6 f32
      v22 = multiply v21, v21 f32
      v23 = multiply v6, v22 f32
      store %out0[i] v23
    }
  }
  kernel k1_convert_64 {
    parallel lanes i : 64 by 16 x 4 {
      v1 = load %in1[i] bf16
      v2 = convert v1 f32
      v3 = multiply v2, v2 f32
      v4 = multiply v2, v3 f32
      v5 = convert v4 bf16
      store %out4[i] v5
    }
  }
}
