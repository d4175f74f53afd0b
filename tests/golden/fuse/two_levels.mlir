// RUN: raise | simplify | fuse
// Two time levels, a cube each: the border, which stays, is not stored again, and the loop over the planes inside is parallel.
module @levels attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<66x66x66xf32>, %arg1: tensor<66x66x66xf32>) -> (tensor<66x66x66xf32> {jax.result_info = "result[0]"}, tensor<66x66x66xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<66x66x66xf32>, tensor<66x66x66xf32>
    cond {
      %c_2 = stablehlo.constant dense<20> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_0, %iterArg_1) : (tensor<66x66x66xf32>, tensor<66x66x66xf32>) -> (tensor<66x66x66xf32>, tensor<66x66x66xf32>)
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1 : tensor<i32>, tensor<66x66x66xf32>, tensor<66x66x66xf32>
    }
    return %0#1, %0#2 : tensor<66x66x66xf32>, tensor<66x66x66xf32>
  }
  func.func private @closed_call(%arg0: tensor<66x66x66xf32>, %arg1: tensor<66x66x66xf32>) -> (tensor<66x66x66xf32>, tensor<66x66x66xf32>) {
    %0 = stablehlo.slice %arg0 [0:64, 1:65, 1:65] : (tensor<66x66x66xf32>) -> tensor<64x64x64xf32>
    %1 = stablehlo.slice %arg0 [2:66, 1:65, 1:65] : (tensor<66x66x66xf32>) -> tensor<64x64x64xf32>
    %2 = stablehlo.add %0, %1 : tensor<64x64x64xf32>
    %3 = stablehlo.slice %arg0 [1:65, 0:64, 1:65] : (tensor<66x66x66xf32>) -> tensor<64x64x64xf32>
    %4 = stablehlo.add %2, %3 : tensor<64x64x64xf32>
    %5 = stablehlo.slice %arg0 [1:65, 2:66, 1:65] : (tensor<66x66x66xf32>) -> tensor<64x64x64xf32>
    %6 = stablehlo.add %4, %5 : tensor<64x64x64xf32>
    %cst = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x64x64xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<64x64x64xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %12 = stablehlo.concatenate %9, %10, %11, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %13 = "stablehlo.scatter"(%arg1, %12, %8) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<66x66x66xf32>, tensor<3xi32>, tensor<64x64x64xf32>) -> tensor<66x66x66xf32>
    %14 = stablehlo.slice %13 [0:64, 1:65, 1:65] : (tensor<66x66x66xf32>) -> tensor<64x64x64xf32>
    %15 = stablehlo.slice %13 [2:66, 1:65, 1:65] : (tensor<66x66x66xf32>) -> tensor<64x64x64xf32>
    %16 = stablehlo.add %14, %15 : tensor<64x64x64xf32>
    %17 = stablehlo.slice %13 [1:65, 0:64, 1:65] : (tensor<66x66x66xf32>) -> tensor<64x64x64xf32>
    %18 = stablehlo.add %16, %17 : tensor<64x64x64xf32>
    %19 = stablehlo.slice %13 [1:65, 2:66, 1:65] : (tensor<66x66x66xf32>) -> tensor<64x64x64xf32>
    %20 = stablehlo.add %18, %19 : tensor<64x64x64xf32>
    %cst_2 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x64x64xf32>
    %22 = stablehlo.multiply %20, %21 : tensor<64x64x64xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %26 = stablehlo.concatenate %23, %24, %25, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %27 = "stablehlo.scatter"(%arg0, %26, %22) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<66x66x66xf32>, tensor<3xi32>, tensor<64x64x64xf32>) -> tensor<66x66x66xf32>
    return %27, %13 : tensor<66x66x66xf32>, tensor<66x66x66xf32>
  }
}
// ----- becomes
program main (default; 0 bytes of scratch; 167772160 bytes never written) {
  %in0 : f32[287496]
  %in1 : f32[287496]
  %out0 : f32[287496]
  %out1 : f32[287496]
  kernel k0_start {
    parallel lanes i : 287496 by 16 x 4 {
      v1 = load %in0[i] f32
      store %out0[i] v1
    }
  }
  kernel k1_start {
    parallel lanes i : 287496 by 16 x 4 {
      v1 = load %in1[i] f32
      store %out1[i] v1
    }
  }
  loop c0 : 20 {
    kernel k2_dynamic_update_slice_66x66x66 {
      v0 = 0.25 f32
      parallel i : 64 {
        loop j : 64 {
          lanes k : 64 by 16 x 4 {
            v4 = load %out0[4356 i + 66 j + k + 67] f32
            v5 = load %out0[4356 i + 66 j + k + 8779] f32
            v6 = add v4, v5 f32
            v7 = load %out0[4356 i + 66 j + k + 4357] f32
            v8 = add v6, v7 f32
            v9 = load %out0[4356 i + 66 j + k + 4489] f32
            v10 = add v8, v9 f32
            v11 = multiply v10, v0 f32
            store %out1[4356 i + 66 j + k + 4423] v11
          }
        }
      }
    }
    kernel k3_dynamic_update_slice_66x66x66 {
      v0 = 0.25 f32
      parallel i : 64 {
        loop j : 64 {
          lanes k : 64 by 16 x 4 {
            v4 = load %out1[4356 i + 66 j + k + 67] f32
            v5 = load %out1[4356 i + 66 j + k + 8779] f32
            v6 = add v4, v5 f32
            v7 = load %out1[4356 i + 66 j + k + 4357] f32
            v8 = add v6, v7 f32
            v9 = load %out1[4356 i + 66 j + k + 4489] f32
            v10 = add v8, v9 f32
            v11 = multiply v10, v0 f32
            store %out0[4356 i + 66 j + k + 4423] v11
          }
        }
      }
    }
  }
}
