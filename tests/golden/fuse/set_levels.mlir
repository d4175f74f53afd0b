// RUN: fuse
// Levels along a short last axis, set one after the other: one kernel that stores them all, and copies nothing.
func.func @rotate(%x: tensor<20x40x3xf32>, %y: tensor<20x40x1xf32>) -> tensor<20x40x3xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.slice %x [0:20, 0:40, 1:2] : (tensor<20x40x3xf32>) -> tensor<20x40x1xf32>
  %1 = stablehlo.slice %x [0:20, 0:40, 2:3] : (tensor<20x40x3xf32>) -> tensor<20x40x1xf32>
  %2 = stablehlo.dynamic_update_slice %x, %0, %c0, %c0, %c0 : (tensor<20x40x3xf32>, tensor<20x40x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<20x40x3xf32>
  %3 = stablehlo.dynamic_update_slice %2, %1, %c0, %c0, %c1 : (tensor<20x40x3xf32>, tensor<20x40x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<20x40x3xf32>
  %4 = stablehlo.add %1, %y : tensor<20x40x1xf32>
  %5 = stablehlo.dynamic_update_slice %3, %4, %c0, %c0, %c2 : (tensor<20x40x3xf32>, tensor<20x40x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<20x40x3xf32>
  return %5 : tensor<20x40x3xf32>
}
// ----- becomes
program rotate (default; 0 bytes of scratch; 22400 bytes never written) {
  %in0 : f32[2400]
  %in1 : f32[800]
  %out0 : f32[2400]
  kernel k0_dynamic_update_slice_20x40x3 {
    parallel lanes i : 800 by 16 {
      v1 = load %in0[3 i + 1] f32
      v2 = load %in0[3 i + 2] f32
      v3 = load %in1[i] f32
      v4 = add v2, v3 f32
      store %out0[3 i] v1
      store %out0[3 i + 1] v2
      store %out0[3 i + 2] v4
    }
  }
}
