// RUN: fuse
// Rows 1 to 12 in 3 chunks of 4: the loop reads them where they lie, and stores its results where they are wanted in another shape. Nothing is copied.
func.func @chunks(%x: tensor<14x8xf32>) -> tensor<12xf32> {
  %0 = stablehlo.slice %x [1:13, 0:8] : (tensor<14x8xf32>) -> tensor<12x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<12x8xf32>) -> tensor<3x4x8xf32>
  %2 = stablehlo.composite "weft.scan" %1 {composite_attributes = {body = @step, carries = 0 : i64, invariants = 0 : i64, length = 3 : i64, reverse = false, unroll = 1 : i64}, decomposition = @step} : (tensor<3x4x8xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<3x4xf32>) -> tensor<12xf32>
  return %3 : tensor<12xf32>
}
func.func private @step(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.divide %1, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// ----- becomes
program chunks (default; 0 bytes of scratch; 60 bytes never written) {
  %in0 : f32[112]
  %out0 : f32[12]
  loop c0 : 3 {
    kernel k0_div_4 {
      v0 = counter 0 i64
      v1 = reducer add f32
      lanes i : 32 by 16 x 4 {
        v3 = load %in0[32 v0 + i + 8] f32
        fold v1 v3
      }
      v6 = total v1 f32
      parallel lanes i : 4 by 16 x 4 {
        v8 = reducer add f32
        loop j : 8 {
          v10 = load %in0[8 i + j + 32 v0 + 8] f32
          fold v8 v10
        }
        v13 = total v8 f32
        v14 = divide v13, v6 f32
        store %out0[i + 4 v0] v14
      }
    }
  }
}
