// RUN: fuse
// A while loop whose condition and body fold: steps around kernels; a branch in the body that ends in the carry's memory.
func.func @power(%a: tensor<6x6xf32>, %v0: tensor<6xf32>) -> tensor<6xf32> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %far = stablehlo.constant dense<1.000000e+09> : tensor<f32>
  %0:2 = stablehlo.while(%v = %v0, %change = %far) : tensor<6xf32>, tensor<f32>
  cond {
    %small = stablehlo.constant dense<1.000000e-06> : tensor<f32>
    %1 = stablehlo.compare GT, %change, %small, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<6xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.rsqrt %3 : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.multiply %1, %5 : tensor<6xf32>
    %7 = stablehlo.subtract %6, %v : tensor<6xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<6xf32>
    %9 = stablehlo.reduce(%8 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %6, %9 : tensor<6xf32>, tensor<f32>
  }
  return %0#0 : tensor<6xf32>
}
// ----- becomes
program power (default; 448 bytes of scratch; 80 bytes never written) {
  %in0 : f32[36]
  %in1 : f32[6]
  %out0 : f32[6]
  %temp3 : bool[1] at 192
  %temp4 : f32[6] at 256
  %temp5 : f32[6] at 320
  %temp6 : f32[1] at 384
  %temp8 : f32[6] at 192
  %temp9 : f32[36] at 0
  kernel k0_start {
    parallel lanes i : 6 by 16 x 4 {
      v1 = load %in1[i] f32
      store %temp4[i] v1
    }
  }
  kernel k1_start {
    v0 = 1e+09 f32
    store %temp6[0] v0
  }
  kernel k2_pack_6x6 {
    parallel i : 6 {
      lanes j : 6 by 16 {
        v2 = load %in0[i + 6 j] f32
        store %temp9[6 i + j] v2
      }
    }
  }
  while c0 {
    kernel k3_compare {
      v0 = load %temp6[0] f32
      v1 = 9.99999997e-07 f32
      v2 = compare gt v0, v1 bool
      store %temp3[0] v2
    }
    test %temp3
    kernel k4_dot_6 {
      parallel lanes i : 6 by 16 x 4 {
        v1 = reducer add f32
        loop j : 6 {
          v3 = load %temp9[i + 6 j] f32
          v4 = load %temp4[j] f32
          v5 = multiply v3, v4 f32
          fold v1 v5
        }
        v8 = total v1 f32
        store %temp8[i] v8
      }
    }
    kernel k5_reduce {
      v0 = reducer add f32
      loop i : 6 {
        v2 = load %temp8[i] f32
        v3 = multiply v2, v2 f32
        fold v0 v3
      }
      v6 = reducer add f32
      v7 = total v0 f32
      v8 = rsqrt v7 f32
      loop i : 6 {
        v10 = load %temp8[i] f32
        v11 = multiply v10, v8 f32
        store %temp5[i] v11
        v13 = load %temp4[i] f32
        v14 = subtract v11, v13 f32
        v15 = multiply v14, v14 f32
        fold v6 v15
      }
      v18 = total v6 f32
      store %temp6[0] v18
    }
    swap %temp4 %temp5
  }
  kernel k6_copy {
    parallel lanes i : 6 by 16 x 4 {
      v1 = load %temp4[i] f32
      store %out0[i] v1
    }
  }
}
