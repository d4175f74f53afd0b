// RUN: print
func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:2 = stablehlo.composite "weft.custom_jvp" %x, %w, %i {composite_attributes = {rule = @jvp}, decomposition = @f} : (tensor<3xf32>, tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>)
  %1:2 = stablehlo.composite "weft.custom_vjp" %0#0, %w, %0#1 {decomposition = @f, composite_attributes = {backward = @backward, forward = @forward}} : (tensor<3xf32>, tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>)
  %2 = stablehlo.composite "weft.checkpoint" %1#0 {decomposition = @g} : (tensor<3xf32>) -> tensor<3xf32>
  %3 = stablehlo.composite "weft.custom_vmap" %2 {composite_attributes = {rule = 7 : i64}, decomposition = @g} : (tensor<3xf32>) -> tensor<3xf32>
  %4 = stablehlo.composite "weft.stop_gradient" %3 {decomposition = @same} : (tensor<3xf32>) -> tensor<3xf32>
  %5:2 = stablehlo.optimization_barrier %4, %0#0 : tensor<3xf32>, tensor<3xf32>
  %6 = stablehlo.composite "weft.backward" %x, %w {composite_attributes = {transpose = @transpose, known = 1 : i64}, decomposition = @nothing} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %7 = enzyme.fwddiff @square(%5#0, %5#1) {activity = [#enzyme<activity enzyme_dup>], ret_activity = [#enzyme<activity enzyme_dupnoneed>]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %8 = "enzyme.autodiff"(%7, %w) <{fn = @square, activity = [#enzyme<activity enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>]}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %9 = enzyme.batch @scale(%8, %w) {batch_shape = array<i64: 3>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1#0, %1#1, %6, %7, %9 : tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func private @f(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
  %0 = stablehlo.multiply %x, %w : tensor<3xf32>
  return %0, %i : tensor<3xf32>, tensor<i32>
}
func.func private @jvp(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>, %dx: tensor<3xf32>, %dw: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>) {
  %0:2 = call @f(%x, %w, %i) : (tensor<3xf32>, tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>)
  %1 = stablehlo.add %dx, %dw : tensor<3xf32>
  return %0#0, %0#1, %1 : tensor<3xf32>, tensor<i32>, tensor<3xf32>
}
func.func private @forward(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>) {
  %0 = stablehlo.multiply %x, %w : tensor<3xf32>
  return %0, %i, %x : tensor<3xf32>, tensor<i32>, tensor<3xf32>
}
func.func private @backward(%x: tensor<3xf32>, %ct: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.multiply %x, %ct : tensor<3xf32>
  return %0, %ct : tensor<3xf32>, tensor<3xf32>
}
func.func private @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.tanh %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @same(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func private @transpose(%k: tensor<3xf32>, %ct: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %k, %ct : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @nothing(%k: tensor<3xf32>, %t: tensor<3xf32>) -> tensor<3xf32> {
  return %t : tensor<3xf32>
}
func.func private @square(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @scale(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.multiply %x, %y : tensor<f32>
  return %0 : tensor<f32>
}
// ----- becomes
func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:2 = stablehlo.composite "weft.custom_jvp" %x, %w, %i {composite_attributes = {rule = @weft.custom_jvp_rule_0}, decomposition = @weft.custom_jvp_0} : (tensor<3xf32>, tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>)
  %1:2 = stablehlo.composite "weft.custom_vjp" %0#0, %w, %0#1 {composite_attributes = {forward = @weft.custom_vjp_forward_1, backward = @weft.custom_vjp_backward_1}, decomposition = @weft.custom_vjp_1} : (tensor<3xf32>, tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>)
  %2 = stablehlo.composite "weft.checkpoint" %1#0 {decomposition = @weft.checkpoint_2} : (tensor<3xf32>) -> tensor<3xf32>
  %3 = stablehlo.composite "weft.custom_vmap" %2 {composite_attributes = {rule = 7 : i64}, decomposition = @weft.custom_vmap_3} : (tensor<3xf32>) -> tensor<3xf32>
  %4 = stablehlo.composite "weft.stop_gradient" %3 {decomposition = @weft.stop_gradient_4} : (tensor<3xf32>) -> tensor<3xf32>
  %5:2 = stablehlo.optimization_barrier %4, %0#0 : tensor<3xf32>, tensor<3xf32>
  %6 = stablehlo.composite "weft.backward" %x, %w {composite_attributes = {transpose = @weft.backward_transpose_5, known = 1 : i64}, decomposition = @weft.backward_5} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %7 = stablehlo.multiply %5#1, %5#0 : tensor<3xf32>
  %8 = stablehlo.multiply %5#0, %5#1 : tensor<3xf32>
  %9 = stablehlo.add %7, %8 : tensor<3xf32>
  %10 = stablehlo.multiply %w, %9 : tensor<3xf32>
  %11 = stablehlo.add %10, %10 : tensor<3xf32>
  %12 = stablehlo.multiply %11, %w : tensor<3xf32>
  return %1#0, %1#1, %6, %9, %12 : tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func private @weft.custom_jvp_rule_0(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>, %dx: tensor<3xf32>, %dw: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>) {
  %0 = stablehlo.multiply %x, %w : tensor<3xf32>
  %1 = stablehlo.add %dx, %dw : tensor<3xf32>
  return %0, %i, %1 : tensor<3xf32>, tensor<i32>, tensor<3xf32>
}
func.func private @weft.custom_jvp_0(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
  %0 = stablehlo.multiply %x, %w : tensor<3xf32>
  return %0, %i : tensor<3xf32>, tensor<i32>
}
func.func private @weft.custom_vjp_forward_1(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<i32>, tensor<3xf32>) {
  %0 = stablehlo.multiply %x, %w : tensor<3xf32>
  return %0, %i, %x : tensor<3xf32>, tensor<i32>, tensor<3xf32>
}
func.func private @weft.custom_vjp_backward_1(%x: tensor<3xf32>, %ct: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.multiply %x, %ct : tensor<3xf32>
  return %0, %ct : tensor<3xf32>, tensor<3xf32>
}
func.func private @weft.custom_vjp_1(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
  %0 = stablehlo.multiply %x, %w : tensor<3xf32>
  return %0, %i : tensor<3xf32>, tensor<i32>
}
func.func private @weft.checkpoint_2(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.tanh %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @weft.custom_vmap_3(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.tanh %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @weft.stop_gradient_4(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  return %arg0 : tensor<3xf32>
}
func.func private @weft.backward_transpose_5(%k: tensor<3xf32>, %ct: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %k, %ct : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @weft.backward_5(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %cst = stablehlo.constant dense<0x7FC00000> : tensor<3xf32>
  return %cst : tensor<3xf32>
}
