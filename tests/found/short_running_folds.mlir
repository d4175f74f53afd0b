// Running folds along a short last axis have a block's order: sums, products that wrap, from the end, of f16.
func.func @main(%x: tensor<40x7xf32>, %y: tensor<33x5xi32>, %z: tensor<64x3xf16>) -> (tensor<40x7xf32>, tensor<40x7xf32>, tensor<33x5xi32>, tensor<64x3xf16>) {
  %0 = stablehlo.composite "weft.cumulative" %x {composite_attributes = {applies = "stablehlo.add", dimension = 1 : i64, reverse = false}, decomposition = @a} : (tensor<40x7xf32>) -> tensor<40x7xf32>
  %1 = stablehlo.composite "weft.cumulative" %x {composite_attributes = {applies = "stablehlo.multiply", dimension = 1 : i64, reverse = true}, decomposition = @a} : (tensor<40x7xf32>) -> tensor<40x7xf32>
  %2 = stablehlo.composite "weft.cumulative" %y {composite_attributes = {applies = "stablehlo.multiply", dimension = 1 : i64, reverse = false}, decomposition = @b} : (tensor<33x5xi32>) -> tensor<33x5xi32>
  %3 = stablehlo.composite "weft.cumulative" %z {composite_attributes = {applies = "stablehlo.add", dimension = 1 : i64, reverse = true}, decomposition = @c} : (tensor<64x3xf16>) -> tensor<64x3xf16>
  return %0, %1, %2, %3 : tensor<40x7xf32>, tensor<40x7xf32>, tensor<33x5xi32>, tensor<64x3xf16>
}
func.func private @a(%x: tensor<40x7xf32>) -> tensor<40x7xf32> {
  return %x : tensor<40x7xf32>
}
func.func private @b(%x: tensor<33x5xi32>) -> tensor<33x5xi32> {
  return %x : tensor<33x5xi32>
}
func.func private @c(%x: tensor<64x3xf16>) -> tensor<64x3xf16> {
  return %x : tensor<64x3xf16>
}
func.func @inputs() -> (tensor<40x7xf32>, tensor<33x5xi32>, tensor<64x3xf16>) {
  %a = stablehlo.iota dim = 0 : tensor<40x7xf32>
  %b = stablehlo.iota dim = 1 : tensor<40x7xf32>
  %c = stablehlo.multiply %a, %b : tensor<40x7xf32>
  %d = stablehlo.sine %c : tensor<40x7xf32>
  %e = stablehlo.constant dense<[1, -3, 2147483647, 65537, 12345]> : tensor<5xi32>
  %f = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<5xi32>) -> tensor<33x5xi32>
  %g = stablehlo.iota dim = 0 : tensor<64x3xf16>
  %h = stablehlo.cosine %g : tensor<64x3xf16>
  return %d, %f, %h : tensor<40x7xf32>, tensor<33x5xi32>, tensor<64x3xf16>
}
