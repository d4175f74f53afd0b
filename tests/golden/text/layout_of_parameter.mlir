// RUN: print
"func.func"() <{arg_attrs = [{}, {mhlo.layout_mode = "{0,1}"}], sym_name = "main", function_type = (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>}> ({
^bb0(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>):
  "func.return"(%y) : (tensor<4x2xf32>) -> ()
}) : () -> ()
// ----- becomes
error: 2:54: not supported: parameter 1, of rank 2, in layout {0,1}; all arrays are row-major
