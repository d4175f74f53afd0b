// RUN: fuse
// The greatest element so far and where it stood: the numbers are carried, not stored, though two kernels need the old one.
func.func @running(%x: tensor<100xf32>, %m0: tensor<f32>, %y: tensor<200xf32>, %z: tensor<200xi32>) -> (tensor<200xf32>, tensor<200xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.composite "weft.scan" %zero, %m0, %zero, %y, %z, %x {composite_attributes = {body = @step, carries = 5 : i64, invariants = 0 : i64, length = 100 : i64, reverse = false, unroll = 1 : i64}, decomposition = @step} : (tensor<i32>, tensor<f32>, tensor<i32>, tensor<200xf32>, tensor<200xi32>, tensor<100xf32>) -> (tensor<i32>, tensor<f32>, tensor<i32>, tensor<200xf32>, tensor<200xi32>)
  return %0#3, %0#4 : tensor<200xf32>, tensor<200xi32>
}
func.func private @step(%i: tensor<i32>, %m: tensor<f32>, %k: tensor<i32>, %y: tensor<200xf32>, %z: tensor<200xi32>, %x: tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<i32>, tensor<200xf32>, tensor<200xi32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.compare GT, %x, %m, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %1 = stablehlo.select %0, %x, %m : tensor<i1>, tensor<f32>
  %2 = stablehlo.select %0, %i, %k : tensor<i1>, tensor<i32>
  %3 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
  %4 = stablehlo.dynamic_update_slice %y, %3, %i : (tensor<200xf32>, tensor<1xf32>, tensor<i32>) -> tensor<200xf32>
  %5 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
  %6 = stablehlo.dynamic_update_slice %z, %5, %i : (tensor<200xi32>, tensor<1xi32>, tensor<i32>) -> tensor<200xi32>
  %7 = stablehlo.add %i, %one : tensor<i32>
  return %7, %1, %2, %4, %6 : tensor<i32>, tensor<f32>, tensor<i32>, tensor<200xf32>, tensor<200xi32>
}
// ----- becomes
program running (default; 128 bytes of scratch; 100 bytes never written) {
  %in0 : f32[100]
  %in1 : f32[1]
  %in2 : f32[200]
  %in3 : i32[200]
  %out0 : f32[200]
  %out1 : i32[200]
  %temp6 : f32[1] at 0
  %temp8 : i32[1] at 64
  kernel k0_start {
    v0 = load %in1[0] f32
    store %temp6[0] v0
  }
  kernel k1_start {
    v0 = 0 i32
    store %temp8[0] v0
  }
  kernel k2_start {
    parallel lanes i : 200 by 16 x 4 {
      v1 = load %in2[i] f32
      store %out0[i] v1
    }
  }
  kernel k3_start {
    parallel lanes i : 200 by 16 x 4 {
      v1 = load %in3[i] i32
      store %out1[i] v1
    }
  }
  kernel k4_select {
    v0 = load %temp8[0] i32
    v1 = carry v0 i32
    v2 = load %temp6[0] f32
    v3 = carry v2 f32
    loop i : 100 {
      v5 = load %in0[i] f32
      v6 = compare gt v5, v3 bool
      v7 = select v6, v5, v3 f32
      v8 = compare gt v5, v3 bool
      v9 = i i32
      v10 = select v8, v9, v1 i32
      store %out0[i] v7
      store %out1[i] v10
      set v1 v10
      set v3 v7
    }
  }
}
