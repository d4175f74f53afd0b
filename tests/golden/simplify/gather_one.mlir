// RUN: simplify
// A gather at one position that is a constant is a slice there, clamped as the gather is; the results keep their axes. Positions of no number may be many.
func.func @main(%x: tensor<5x6x7xf32>) -> (tensor<5x7xf32>, tensor<5x1x2xf32>, tensor<7xf32>, tensor<1x5x7xf32>, tensor<2x5x6x7xf32>) {
  %far = stablehlo.constant dense<9> : tensor<1xi32>
  %0 = "stablehlo.gather"(%x, %far) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 5, 1, 7>}> : (tensor<5x6x7xf32>, tensor<1xi32>) -> tensor<5x7xf32>
  %below = stablehlo.constant dense<-2> : tensor<1xi64>
  %1 = "stablehlo.gather"(%x, %below) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 5, 1, 2>}> : (tensor<5x6x7xf32>, tensor<1xi64>) -> tensor<5x1x2xf32>
  %two = stablehlo.constant dense<[3, 4]> : tensor<2xui8>
  %2 = "stablehlo.gather"(%x, %two) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1, 7>}> : (tensor<5x6x7xf32>, tensor<2xui8>) -> tensor<7xf32>
  %in = stablehlo.constant dense<5> : tensor<1x1xi32>
  %3 = "stablehlo.gather"(%x, %in) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 5, 1, 7>}> : (tensor<5x6x7xf32>, tensor<1x1xi32>) -> tensor<1x5x7xf32>
  %none = stablehlo.constant dense<0> : tensor<2x0xi32>
  %4 = "stablehlo.gather"(%x, %none) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], index_vector_dim = 1>, slice_sizes = array<i64: 5, 6, 7>}> : (tensor<5x6x7xf32>, tensor<2x0xi32>) -> tensor<2x5x6x7xf32>
  return %0, %1, %2, %3, %4 : tensor<5x7xf32>, tensor<5x1x2xf32>, tensor<7xf32>, tensor<1x5x7xf32>, tensor<2x5x6x7xf32>
}
// ----- becomes
func.func @main(%x: tensor<5x6x7xf32>) -> (tensor<5x7xf32>, tensor<5x1x2xf32>, tensor<7xf32>, tensor<1x5x7xf32>, tensor<2x5x6x7xf32>) {
  %0 = stablehlo.slice %x [0:5, 5:6, 0:7] : (tensor<5x6x7xf32>) -> tensor<5x1x7xf32>
  %1 = stablehlo.reshape %0 : (tensor<5x1x7xf32>) -> tensor<5x7xf32>
  %2 = stablehlo.slice %x [0:5, 0:1, 0:2] : (tensor<5x6x7xf32>) -> tensor<5x1x2xf32>
  %3 = stablehlo.slice %x [4:5, 3:4, 0:7] : (tensor<5x6x7xf32>) -> tensor<1x1x7xf32>
  %4 = stablehlo.reshape %3 : (tensor<1x1x7xf32>) -> tensor<7xf32>
  %5 = stablehlo.reshape %0 : (tensor<5x1x7xf32>) -> tensor<1x5x7xf32>
  %c = stablehlo.constant dense<0> : tensor<2x0xi32>
  %6 = "stablehlo.gather"(%x, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 5, 6, 7>}> : (tensor<5x6x7xf32>, tensor<2x0xi32>) -> tensor<2x5x6x7xf32>
  return %1, %2, %4, %5, %6 : tensor<5x7xf32>, tensor<5x1x2xf32>, tensor<7xf32>, tensor<1x5x7xf32>, tensor<2x5x6x7xf32>
}
