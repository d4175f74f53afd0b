// indices compared with numbers from which their distance is more than int64 holds
func.func @main(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xi64>, tensor<40xf32>, tensor<40xi64>) {
  %i = stablehlo.iota dim = 0 : tensor<40xi64>
  %least = stablehlo.constant dense<-9223372036854775808> : tensor<40xi64>
  %low = stablehlo.constant dense<-9223372036854775800> : tensor<40xi64>
  %zero = stablehlo.constant dense<0.0> : tensor<40xf32>
  %0 = stablehlo.compare GE, %i, %least : (tensor<40xi64>, tensor<40xi64>) -> tensor<40xi1>
  %1 = stablehlo.select %0, %x, %zero : tensor<40xi1>, tensor<40xf32>
  %2 = stablehlo.maximum %i, %least : tensor<40xi64>
  %three = stablehlo.constant dense<3> : tensor<40xi64>
  %j = stablehlo.subtract %three, %i : tensor<40xi64>
  %most = stablehlo.constant dense<9223372036854775807> : tensor<40xi64>
  %3 = stablehlo.compare LT, %j, %most : (tensor<40xi64>, tensor<40xi64>) -> tensor<40xi1>
  %4 = stablehlo.select %3, %x, %zero : tensor<40xi1>, tensor<40xf32>
  %5 = stablehlo.minimum %low, %j : tensor<40xi64>
  return %1, %2, %4, %5 : tensor<40xf32>, tensor<40xi64>, tensor<40xf32>, tensor<40xi64>
}
func.func @inputs() -> tensor<40xf32> {
  %0 = stablehlo.constant dense<1.5> : tensor<40xf32>
  return %0 : tensor<40xf32>
}
