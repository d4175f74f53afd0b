// RUN: planes | simplify | fuse
// Sums of twice as many real columns.
func.func @main(%a: tensor<40x20xcomplex<f32>>) -> tensor<20xcomplex<f32>> {
  %z = stablehlo.constant dense<(0.0,0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<40x20xcomplex<f32>>, tensor<complex<f32>>) -> tensor<20xcomplex<f32>>
  return %0 : tensor<20xcomplex<f32>>
}
// ----- becomes
program main (default; 0 bytes of scratch; 0 bytes never written) {
  %in0 : f32[1600]
  %out0 : f32[40]
  kernel k0_reduce_20x2 {
    parallel lanes i : 40 by 16 x 2 {
      v1 = reducer add f32
      tile j : 40 x 4 {
        v3 = load %in0[i + 40 j] f32
        fold v1 v3
      }
      v6 = total v1 f32
      store %out0[i] v6
    }
  }
}
