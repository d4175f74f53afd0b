// RUN: print
// Tokens go, as arrays of no elements, through funcs that are private and others, tuples, loops and branches.
func.func public @main(%p: tuple<!stablehlo.token, tensor<4xf32>>, %t: !stablehlo.token, %i: tensor<i32>) -> (!stablehlo.token, tuple<tensor<4xf32>, !stablehlo.token>, !stablehlo.token) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.get_tuple_element %p[0] : (tuple<!stablehlo.token, tensor<4xf32>>) -> !stablehlo.token
  %1 = stablehlo.get_tuple_element %p[1] : (tuple<!stablehlo.token, tensor<4xf32>>) -> tensor<4xf32>
  %2:3 = stablehlo.while(%k = %0, %n = %i, %a = %1) : !stablehlo.token, tensor<i32>, tensor<4xf32>
  cond {
    %3 = stablehlo.compare GT, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %3:2 = func.call @step(%k, %a) : (!stablehlo.token, tensor<4xf32>) -> (tensor<4xf32>, !stablehlo.token)
    %4 = stablehlo.shift_right_arithmetic %n, %n : tensor<i32>
    stablehlo.return %3#1, %4, %3#0 : !stablehlo.token, tensor<i32>, tensor<4xf32>
  }
  %5:2 = "stablehlo.case"(%i) ({
    %6:2 = func.call @pass(%2#2, %t) : (tensor<4xf32>, !stablehlo.token) -> (!stablehlo.token, tensor<4xf32>)
    stablehlo.return %6#0, %6#1 : !stablehlo.token, tensor<4xf32>
  }, {
    stablehlo.return %2#0, %1 : !stablehlo.token, tensor<4xf32>
  }) : (tensor<i32>) -> (!stablehlo.token, tensor<4xf32>)
  %7 = stablehlo.tuple %5#1, %5#0 : tuple<tensor<4xf32>, !stablehlo.token>
  return %2#0, %7, %t : !stablehlo.token, tuple<tensor<4xf32>, !stablehlo.token>, !stablehlo.token
}
func.func @step(%t: !stablehlo.token, %x: tensor<4xf32>) -> (tensor<4xf32>, !stablehlo.token) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.create_token : !stablehlo.token
  %2 = stablehlo.after_all %t, %1 : !stablehlo.token
  return %0, %2 : tensor<4xf32>, !stablehlo.token
}
func.func private @pass(%x: tensor<4xf32>, %t: !stablehlo.token) -> (!stablehlo.token, tensor<4xf32>) {
  return %t, %x : !stablehlo.token, tensor<4xf32>
}
// ----- becomes
func.func @main(%p_0: tensor<0xi1>, %p_1: tensor<4xf32>, %t: tensor<0xi1>, %i: tensor<i32>) -> (tensor<0xi1>, tensor<4xf32>, tensor<0xi1>, tensor<0xi1>) {
  %0:3 = stablehlo.while(%iterArg = %p_0, %iterArg_0 = %i, %iterArg_1 = %p_1) : tensor<0xi1>, tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare GT, %iterArg_0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.sine %iterArg_1 : tensor<4xf32>
    %3 = stablehlo.shift_right_arithmetic %iterArg_0, %iterArg_0 : tensor<i32>
    %c_0 = stablehlo.constant dense<> : tensor<0xi1>
    stablehlo.return %c_0, %3, %2 : tensor<0xi1>, tensor<i32>, tensor<4xf32>
  }
  %4:4 = stablehlo.optimization_barrier {weft.captures} %0#2, %t, %0#0, %p_1 : tensor<4xf32>, tensor<0xi1>, tensor<0xi1>, tensor<4xf32>
  %5:2 = "stablehlo.case"(%i) ({
    stablehlo.return %4#1, %4#0 : tensor<0xi1>, tensor<4xf32>
  }, {
    stablehlo.return %4#2, %4#3 : tensor<0xi1>, tensor<4xf32>
  }) : (tensor<i32>) -> (tensor<0xi1>, tensor<4xf32>)
  return %0#0, %5#1, %5#0, %t : tensor<0xi1>, tensor<4xf32>, tensor<0xi1>, tensor<0xi1>
}
