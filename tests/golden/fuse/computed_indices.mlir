// RUN: simplify | fuse
// A rest that is rounded down, as JAX spells it, is the end of the row and then the row: no gather. The
// distance of i and j has no place to cut a loop at: both of the elements that it may mean are read in rows.
func.func @main(%x: tensor<4x100xf32>, %t: tensor<100xf32>) -> (tensor<4x100xf32>, tensor<40x100xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<100xi32>
  %five = stablehlo.constant dense<5> : tensor<100xi32>
  %n = stablehlo.constant dense<100> : tensor<100xi32>
  %zero = stablehlo.constant dense<0> : tensor<100xi32>
  %0 = stablehlo.subtract %i, %five : tensor<100xi32>
  %1 = stablehlo.remainder %0, %n : tensor<100xi32>
  %2 = stablehlo.compare LT, %1, %zero, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
  %3 = stablehlo.compare NE, %1, %zero, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
  %4 = stablehlo.and %2, %3 : tensor<100xi1>
  %5 = stablehlo.add %1, %n : tensor<100xi32>
  %6 = stablehlo.select %4, %5, %1 : tensor<100xi1>, tensor<100xi32>
  %7 = stablehlo.reshape %6 : (tensor<100xi32>) -> tensor<100x1xi32>
  %8 = "stablehlo.gather"(%x, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1>}> : (tensor<4x100xf32>, tensor<100x1xi32>) -> tensor<4x100xf32>
  %a = stablehlo.iota dim = 0 : tensor<40x100xi64>
  %b = stablehlo.iota dim = 1 : tensor<40x100xi64>
  %9 = stablehlo.subtract %a, %b : tensor<40x100xi64>
  %10 = stablehlo.abs %9 : tensor<40x100xi64>
  %11 = stablehlo.reshape %10 : (tensor<40x100xi64>) -> tensor<40x100x1xi64>
  %12 = "stablehlo.gather"(%t, %11) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<100xf32>, tensor<40x100x1xi64>) -> tensor<40x100xf32>
  return %8, %12 : tensor<4x100xf32>, tensor<40x100xf32>
}
// ----- becomes
program main (default; 0 bytes of scratch; 65700 bytes never written) {
  %in0 : f32[400]
  %in1 : f32[100]
  %out0 : f32[400]
  %out1 : f32[4000]
  kernel k0_gather_4x100 {
    parallel i : 4 {
      lanes j : 5 by 16 x 4 {
        v2 = load %in0[100 i + j + 95] f32
        store %out0[100 i + j] v2
      }
      lanes j : 95 by 16 x 4 {
        v6 = load %in0[100 i + j] f32
        store %out0[100 i + j + 5] v6
      }
    }
  }
  kernel k1_gather_40x100 {
    v0 = 0 i64
    parallel i : 40 {
      lanes j : 100 by 8 x 4 {
        v3 = i - j i64
        v4 = compare lt v3, v0 bool
        v5 = load %in1[-i + j] if v4 f32
        v6 = not v4 bool
        v7 = load %in1[i - j] if v6 f32
        v8 = select v4, v5, v7 f32
        store %out1[100 i + j] v8
      }
    }
  }
}
