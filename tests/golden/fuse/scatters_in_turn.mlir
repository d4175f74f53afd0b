// RUN: fuse
// Labels along the edges of a graph, in both directions: two scatters of one table are one whose loop is cut at the seam of the two lists, so nothing is chosen at each edge. Then two of which the second reads what the first gave: each is done once.
func.func @edges(%l: tensor<30xi32>, %a: tensor<200x1xi32>, %b: tensor<200x1xi32>) -> (tensor<30xi32>, tensor<30xi32>) {
  %0 = "stablehlo.gather"(%l, %b) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<30xi32>, tensor<200x1xi32>) -> tensor<200xi32>
  %1 = "stablehlo.scatter"(%l, %a, %0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.minimum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<30xi32>, tensor<200x1xi32>, tensor<200xi32>) -> tensor<30xi32>
  %2 = "stablehlo.gather"(%l, %a) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<30xi32>, tensor<200x1xi32>) -> tensor<200xi32>
  %3 = "stablehlo.scatter"(%1, %b, %2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.minimum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<30xi32>, tensor<200x1xi32>, tensor<200xi32>) -> tensor<30xi32>
  %4 = "stablehlo.scatter"(%l, %a, %0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<30xi32>, tensor<200x1xi32>, tensor<200xi32>) -> tensor<30xi32>
  %5 = "stablehlo.gather"(%4, %a) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<30xi32>, tensor<200x1xi32>) -> tensor<200xi32>
  %6 = "stablehlo.scatter"(%4, %b, %5) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<30xi32>, tensor<200x1xi32>, tensor<200xi32>) -> tensor<30xi32>
  return %3, %6 : tensor<30xi32>, tensor<30xi32>
}
// ----- becomes
program edges (default; 128 bytes of scratch; 2400 bytes never written) {
  %in0 : i32[30]
  %in1 : i32[200]
  %in2 : i32[200]
  %out0 : i32[30]
  %out1 : i32[30]
  %temp5 : i32[30] at 0
  kernel k0_scatter_30 {
    parallel lanes i : 30 by 16 x 4 {
      v1 = load %in0[i] i32
      store %out0[i] v1
    }
  }
  kernel k1_scatter_30 {
    v0 = 30 u32
    v1 = 0 i32
    v2 = 29 i32
    loop i : 200 {
      v4 = load %in1[i] i32
      v5 = bitcast_convert v4 u32
      v6 = compare lt v5, v0 bool
      v7 = load %in2[i] i32
      v8 = maximum v7, v1 i32
      v9 = minimum v8, v2 i32
      v10 = load %in0[v9] i32
      v11 = bitcast_convert v7 u32
      v12 = compare lt v11, v0 bool
      v13 = maximum v4, v1 i32
      v14 = minimum v13, v2 i32
      v15 = load %in0[v14] i32
      loop j : 1 {
        v17 = load %out0[v4] if v6 i32
        v18 = minimum v17, v10 i32
        store %out0[v4] v18 if v6
      }
      loop j : 1 {
        v22 = load %out0[v7] if v12 i32
        v23 = minimum v22, v15 i32
        store %out0[v7] v23 if v12
      }
    }
  }
  kernel k2_scatter_30 {
    parallel lanes i : 30 by 16 x 4 {
      v1 = load %in0[i] i32
      store %temp5[i] v1
    }
  }
  kernel k3_scatter_30 {
    v0 = 30 u32
    v1 = 0 i32
    v2 = 29 i32
    loop i : 200 {
      v4 = load %in1[i] i32
      v5 = bitcast_convert v4 u32
      v6 = compare lt v5, v0 bool
      v7 = load %temp5[v4] if v6 i32
      v8 = load %in2[i] i32
      v9 = maximum v8, v1 i32
      v10 = minimum v9, v2 i32
      v11 = load %in0[v10] i32
      v12 = maximum v7, v11 i32
      store %temp5[v4] v12 if v6
    }
  }
  kernel k4_scatter_30 {
    parallel lanes i : 30 by 16 x 4 {
      v1 = load %temp5[i] i32
      store %out1[i] v1
    }
  }
  kernel k5_scatter_30 {
    v0 = 30 u32
    v1 = 0 i32
    v2 = 29 i32
    loop i : 200 {
      v4 = load %in2[i] i32
      v5 = bitcast_convert v4 u32
      v6 = compare lt v5, v0 bool
      v7 = load %out1[v4] if v6 i32
      v8 = load %in1[i] i32
      v9 = maximum v8, v1 i32
      v10 = minimum v9, v2 i32
      v11 = load %temp5[v10] i32
      v12 = maximum v7, v11 i32
      store %out1[v4] v12 if v6
    }
  }
}
