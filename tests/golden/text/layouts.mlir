// RUN: print
"func.func"() <{arg_attrs = [{mhlo.layout_mode = "{1,0}"}, {mhlo.layout_mode = "{ 2, 00 ,1 }"}, {mhlo.layout_mode = "{}"}], res_attrs = [{mhlo.layout_mode = "auto"}, {mhlo.layout_mode = "{0,1:E(32)S(0)}"}, {mhlo.layout_mode = "default"}], sym_name = "main", function_type = (tensor<4x2xf32>, tensor<4x2x3xf32>, tensor<f32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>)}> ({
^bb0(%x: tensor<4x2xf32>, %y: tensor<4x2x3xf32>, %n: tensor<f32>):
  "func.return"(%x, %x, %n) : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>) -> ()
}) : () -> ()
// ----- becomes
func.func @main(%x: tensor<4x2xf32>, %y: tensor<4x2x3xf32>, %n: tensor<f32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>) {
  return %x, %x, %n : tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>
}
