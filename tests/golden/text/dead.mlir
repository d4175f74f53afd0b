// RUN: print
// What nobody uses is gone; parameters stay.
func.func @main(%x: tensor<2xf32>, %unused: tensor<7xi8>) -> tensor<2xf32> {
  %0 = stablehlo.sine %x : tensor<2xf32>
  %1 = stablehlo.cosine %x : tensor<2xf32>
  return %1 : tensor<2xf32>
}
// ----- becomes
func.func @main(%x: tensor<2xf32>, %unused: tensor<7xi8>) -> tensor<2xf32> {
  %0 = stablehlo.cosine %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
