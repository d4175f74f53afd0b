// RUN: print
// Funcs take and give the values that are in tuples. A token is an array of no elements.
func.func public @main(%t: tuple<tensor<2xf32>, tuple<tensor<i32>, tensor<3xf32>>>, %y: tensor<2xf32>) -> (tuple<tensor<3xf32>, tuple<tensor<2xf32>>>, tensor<i32>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  %2 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>, tensor<3xf32>>>) -> tuple<tensor<i32>, tensor<3xf32>>
  %3:2 = call @swapped(%2, %1) : (tuple<tensor<i32>, tensor<3xf32>>, !stablehlo.token) -> (tuple<tensor<3xf32>, tensor<i32>>, !stablehlo.token)
  %4 = stablehlo.get_tuple_element %3#0[0] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<3xf32>
  %5 = stablehlo.get_tuple_element %3#0[1] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<i32>
  %6 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xf32>, tuple<tensor<i32>, tensor<3xf32>>>) -> tensor<2xf32>
  %7 = stablehlo.add %6, %y : tensor<2xf32>
  %8 = stablehlo.tuple %7 : tuple<tensor<2xf32>>
  %9 = stablehlo.tuple %4, %8 : tuple<tensor<3xf32>, tuple<tensor<2xf32>>>
  return %9, %5 : tuple<tensor<3xf32>, tuple<tensor<2xf32>>>, tensor<i32>
}
func.func private @swapped(%t: tuple<tensor<i32>, tensor<3xf32>>, %k: !stablehlo.token) -> (tuple<tensor<3xf32>, tensor<i32>>, !stablehlo.token) {
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<3xf32>>) -> tensor<i32>
  %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<3xf32>>) -> tensor<3xf32>
  %2 = stablehlo.negate %1 : tensor<3xf32>
  %3:3 = stablehlo.optimization_barrier %2, %0, %k : tensor<3xf32>, tensor<i32>, !stablehlo.token
  %4 = stablehlo.tuple %3#0, %3#1 : tuple<tensor<3xf32>, tensor<i32>>
  return %4, %3#2 : tuple<tensor<3xf32>, tensor<i32>>, !stablehlo.token
}
// ----- becomes
func.func @main(%t_0: tensor<2xf32>, %t_1: tensor<i32>, %t_2: tensor<3xf32>, %y: tensor<2xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<i32>) {
  %0 = stablehlo.negate %t_2 : tensor<3xf32>
  %c = stablehlo.constant dense<> : tensor<0xi1>
  %1:3 = stablehlo.optimization_barrier %0, %t_1, %c : tensor<3xf32>, tensor<i32>, tensor<0xi1>
  %2 = stablehlo.add %t_0, %y : tensor<2xf32>
  return %1#0, %2, %1#1 : tensor<3xf32>, tensor<2xf32>, tensor<i32>
}
