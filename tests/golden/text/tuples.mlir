// RUN: print
// What is taken out of a tuple is the value that was put in, from outside of a region, too.
func.func @main(%x: tensor<2xf64>, %i: tensor<i32>) -> tensor<2xf64> {
  %0 = stablehlo.tuple %i : tuple<tensor<i32>>
  %1 = "stablehlo.tuple"(%x, %0) : (tensor<2xf64>, tuple<tensor<i32>>) -> tuple<tensor<2xf64>, tuple<tensor<i32>>>
  %2 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<2xf64>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
  %3 = "stablehlo.get_tuple_element"(%2) <{index = 0 : i32}> : (tuple<tensor<i32>>) -> tensor<i32>
  %4 = "stablehlo.case"(%3) ({
    %5 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xf64>, tuple<tensor<i32>>>) -> tensor<2xf64>
    stablehlo.return %5 : tensor<2xf64>
  }, {
    stablehlo.return %x : tensor<2xf64>
  }) : (tensor<i32>) -> tensor<2xf64>
  return %4 : tensor<2xf64>
}
// ----- becomes
func.func @main(%x: tensor<2xf64>, %i: tensor<i32>) -> tensor<2xf64> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2xf64>
  }, {
    stablehlo.return %x : tensor<2xf64>
  }) : (tensor<i32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
