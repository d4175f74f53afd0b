// RUN: fuse
// Nobody asks for the last value of a carry that has memory of its own, as its start is computed: it is not stored.
func.func @stacked_only(%c: tensor<4xf32>) -> tensor<10xf32> {
  %0 = stablehlo.exponential %c : tensor<4xf32>
  %1:2 = stablehlo.composite "weft.scan" %0 {composite_attributes = {body = @halves, carries = 1 : i64, invariants = 0 : i64, length = 10 : i64, reverse = false, unroll = 1 : i64}, decomposition = @weft.scan_1} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<10xf32>)
  return %1#1 : tensor<10xf32>
}
func.func private @halves(%c: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %h = stablehlo.reverse %c, dims = [0] : tensor<4xf32>
  %0 = stablehlo.add %c, %h : tensor<4xf32>
  %1 = stablehlo.slice %c [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
  return %0, %2 : tensor<4xf32>, tensor<f32>
}
// ----- becomes
program stacked_only (default; 64 bytes of scratch; 0 bytes never written) {
  %in0 : f32[4]
  %out0 : f32[10]
  %temp3 : f32[4] at 0
  kernel k0_exp_4 {
    parallel lanes i : 4 by 16 x 2 {
      v1 = load %in0[i] f32
      v2 = exponential v1 f32
      store %temp3[i] v2
    }
  }
  kernel k1_add_4 {
    v0 = load %temp3[0] f32
    v1 = carry v0 f32
    v2 = load %temp3[3] f32
    v3 = carry v2 f32
    loop i : 10 {
      v5 = add v1, v3 f32
      v6 = add v3, v1 f32
      store %out0[i] v1
      set v1 v5
      set v3 v6
    }
  }
}
