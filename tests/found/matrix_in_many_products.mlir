// A matrix of exponentials in a chain of products, rows and columns in turn: it is computed once.
func.func @main(%a: tensor<48x48xf32>, %b: tensor<48xf32>) -> tensor<48xf32> {
  %m = stablehlo.constant dense<-5.0> : tensor<48x48xf32>
  %o = stablehlo.constant dense<1.0> : tensor<48xf32>
  %s = stablehlo.multiply %m, %a : tensor<48x48xf32>
  %k = stablehlo.exponential %s : tensor<48x48xf32>
  %p0 = stablehlo.dot_general %b, %k, contracting_dims = [0] x [0] : (tensor<48xf32>, tensor<48x48xf32>) -> tensor<48xf32>
  %q0 = stablehlo.divide %o, %p0 : tensor<48xf32>
  %p1 = stablehlo.dot_general %k, %q0, contracting_dims = [1] x [0] : (tensor<48x48xf32>, tensor<48xf32>) -> tensor<48xf32>
  %q1 = stablehlo.divide %o, %p1 : tensor<48xf32>
  %p2 = stablehlo.dot_general %q1, %k, contracting_dims = [0] x [0] : (tensor<48xf32>, tensor<48x48xf32>) -> tensor<48xf32>
  %q2 = stablehlo.divide %o, %p2 : tensor<48xf32>
  %p3 = stablehlo.dot_general %k, %q2, contracting_dims = [1] x [0] : (tensor<48x48xf32>, tensor<48xf32>) -> tensor<48xf32>
  %q3 = stablehlo.divide %o, %p3 : tensor<48xf32>
  %p4 = stablehlo.dot_general %q3, %k, contracting_dims = [0] x [0] : (tensor<48xf32>, tensor<48x48xf32>) -> tensor<48xf32>
  %q4 = stablehlo.divide %o, %p4 : tensor<48xf32>
  %p5 = stablehlo.dot_general %k, %q4, contracting_dims = [1] x [0] : (tensor<48x48xf32>, tensor<48xf32>) -> tensor<48xf32>
  %q5 = stablehlo.divide %o, %p5 : tensor<48xf32>
  %p6 = stablehlo.dot_general %q5, %k, contracting_dims = [0] x [0] : (tensor<48xf32>, tensor<48x48xf32>) -> tensor<48xf32>
  %q6 = stablehlo.divide %o, %p6 : tensor<48xf32>
  %p7 = stablehlo.dot_general %k, %q6, contracting_dims = [1] x [0] : (tensor<48x48xf32>, tensor<48xf32>) -> tensor<48xf32>
  %q7 = stablehlo.divide %o, %p7 : tensor<48xf32>
  %p8 = stablehlo.dot_general %q7, %k, contracting_dims = [0] x [0] : (tensor<48xf32>, tensor<48x48xf32>) -> tensor<48xf32>
  %q8 = stablehlo.divide %o, %p8 : tensor<48xf32>
  %p9 = stablehlo.dot_general %k, %q8, contracting_dims = [1] x [0] : (tensor<48x48xf32>, tensor<48xf32>) -> tensor<48xf32>
  %q9 = stablehlo.divide %o, %p9 : tensor<48xf32>
  return %q9 : tensor<48xf32>
}
func.func @inputs() -> (tensor<48x48xf32>, tensor<48xf32>) {
  %i = stablehlo.iota dim = 1 : tensor<48x48xf32>
  %0 = stablehlo.cosine %i : tensor<48x48xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<48xf32>
  return %0, %1 : tensor<48x48xf32>, tensor<48xf32>
}
