// RUN: print
// StableHLO and CHLO have no exp2, log2 and log10: other tools take what JAX writes for them.
func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.composite "weft.exp2" %arg0 {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "weft.log2" %arg0 {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.composite "weft.log10" %arg0 {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
// ----- becomes
func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.composite "weft.exp2" %arg0 {decomposition = @weft.exp2_0} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "weft.log2" %arg0 {decomposition = @weft.log2_1} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.composite "weft.log10" %arg0 {decomposition = @weft.log10_2} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @weft.exp2_0(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %cst = stablehlo.constant dense<6.931472e-01> : tensor<4xf32>
  %0 = stablehlo.multiply %arg0, %cst : tensor<4xf32>
  %1 = stablehlo.exponential %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @weft.log2_1(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.log %arg0 : tensor<4xf32>
  %cst = stablehlo.constant dense<1.442695e+00> : tensor<4xf32>
  %1 = stablehlo.multiply %0, %cst : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @weft.log10_2(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.log %arg0 : tensor<4xf32>
  %cst = stablehlo.constant dense<4.342945e-01> : tensor<4xf32>
  %1 = stablehlo.multiply %0, %cst : tensor<4xf32>
  return %1 : tensor<4xf32>
}
