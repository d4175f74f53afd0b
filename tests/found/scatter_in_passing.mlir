// A scatter's first kernel stores y in passing; what the last needs besides, another kernel stores that needs y.
func.func @main(%x: tensor<64xf32>, %w: tensor<64xf32>, %i: tensor<6x1xi32>, %u: tensor<6xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %y = stablehlo.sine %x : tensor<64xf32>
  %m = stablehlo.multiply %x, %w : tensor<64xf32>
  %yw = stablehlo.multiply %y, %w : tensor<64xf32>
  %q = stablehlo.add %yw, %x : tensor<64xf32>
  %r = stablehlo.reverse %m, dims = [0] : tensor<64xf32>
  %o = stablehlo.add %y, %r : tensor<64xf32>
  %s = "stablehlo.scatter"(%o, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %c = stablehlo.add %a, %b : tensor<f32> stablehlo.return %c : tensor<f32> }) : (tensor<64xf32>, tensor<6x1xi32>, tensor<6xf32>) -> tensor<64xf32>
  func.return %y, %m, %q, %s : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
func.func @inputs() -> (tensor<64xf32>, tensor<64xf32>, tensor<6x1xi32>, tensor<6xf32>) {
  %n = stablehlo.iota dim = 0 : tensor<64xf32>
  %w = stablehlo.cosine %n : tensor<64xf32>
  %i = stablehlo.constant dense<[[3], [0], [63], [3], [17], [40]]> : tensor<6x1xi32>
  %u = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  func.return %n, %w, %i, %u : tensor<64xf32>, tensor<64xf32>, tensor<6x1xi32>, tensor<6xf32>
}
