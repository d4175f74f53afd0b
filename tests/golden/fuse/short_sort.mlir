// RUN: fuse
// The median of three rows is minima and maxima of them: nobody reads the other two.
func.func @median(%x: tensor<3x1000xi32>) -> tensor<1x1000xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3x1000xi32>) -> tensor<3x1000xi32>
  %2 = stablehlo.slice %0 [1:2, 0:1000] : (tensor<3x1000xi32>) -> tensor<1x1000xi32>
  return %2 : tensor<1x1000xi32>
}
// Keys and what goes along: neighbours change places.
func.func @pairs(%x: tensor<2x1000xf32>, %y: tensor<2x1000xui8>) -> (tensor<2x1000xf32>, tensor<2x1000xui8>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<ui8>, %d: tensor<ui8>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x1000xf32>, tensor<2x1000xui8>) -> (tensor<2x1000xf32>, tensor<2x1000xui8>)
  return %0#0, %0#1 : tensor<2x1000xf32>, tensor<2x1000xui8>
}
// ----- becomes
program median (default; 0 bytes of scratch; 12000 bytes never written) {
  %in0 : i32[3000]
  %out0 : i32[1000]
  kernel k0_min_1x1000 {
    parallel lanes i : 1000 by 16 x 4 {
      v1 = load %in0[i] i32
      v2 = load %in0[i + 2000] i32
      v3 = minimum v1, v2 i32
      v4 = load %in0[i + 1000] i32
      v5 = maximum v3, v4 i32
      v6 = maximum v1, v2 i32
      v7 = minimum v5, v6 i32
      store %out0[i] v7
    }
  }
}
