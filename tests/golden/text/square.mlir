// RUN: print
// CHLO squares floats; the square of ints is a composite. A composite named like an op is the op.
func.func @main(%x: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) {
  %0 = chlo.square %x : tensor<3xf32> -> tensor<3xf32>
  %1 = "chlo.square"(%i) : (tensor<3xi32>) -> tensor<3xi32>
  %2 = stablehlo.composite "chlo.erf" %x {decomposition = @chlo.erf.impl} : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
}
func.func private @chlo.erf.impl(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.tanh %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- becomes
func.func @main(%x: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) {
  %0 = chlo.square %x : tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.composite "chlo.square" %i {decomposition = @chlo.square_0} : (tensor<3xi32>) -> tensor<3xi32>
  %2 = chlo.erf %x : tensor<3xf32> -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
}
func.func private @chlo.square_0(%arg0: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.multiply %arg0, %arg0 : tensor<3xi32>
  return %0 : tensor<3xi32>
}
