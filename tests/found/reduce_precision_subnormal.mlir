// seed 1000326: strict: output 0 f16[2,5,9,1,16], element 163: 1.1920928955078125e-07, eager has 0. Compiled code rounded in f32, where no f16 is subnormal.
func.func @main(%arg0: tensor<14xf16>) -> (tensor<14xf16>, tensor<14xf16>, tensor<14xf16>, tensor<14xf16>) {
  %0 = stablehlo.reduce_precision %arg0, format = e10m2 : tensor<14xf16>
  %1 = stablehlo.reduce_precision %arg0, format = e5m5 : tensor<14xf16>
  %2 = stablehlo.reduce_precision %arg0, format = e4m3 : tensor<14xf16>
  %3 = stablehlo.reduce_precision %arg0, format = e2m0 : tensor<14xf16>
  return %0, %1, %2, %3 : tensor<14xf16>, tensor<14xf16>, tensor<14xf16>, tensor<14xf16>
}
func.func @inputs() -> tensor<14xf16> {
  %cst = stablehlo.constant dense<[0x0002, 0x0003, 0x0080, 0x0081, 0x0300, 0x0301, 0x03FF, 0x0400, 0x7BFF, 0x7C00, 0x7C01, 0x8002, 0x0001, 0x3C01]> : tensor<14xf16>
  return %cst : tensor<14xf16>
}
