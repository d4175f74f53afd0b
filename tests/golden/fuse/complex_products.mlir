// RUN: planes | simplify | fuse
// In a batch each right side is written out in front of its product.
func.func @main(%a: tensor<64x32x24xcomplex<f32>>, %b: tensor<64x24x16xcomplex<f32>>) -> tensor<64x32x16xcomplex<f32>> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<64x32x24xcomplex<f32>>, tensor<64x24x16xcomplex<f32>>) -> tensor<64x32x16xcomplex<f32>>
  return %0 : tensor<64x32x16xcomplex<f32>>
}
// ----- becomes
program main (default; 6144 bytes of scratch; 360448 bytes never written) {
  %in0 : f32[98304]
  %in1 : f32[49152]
  %out0 : f32[65536]
  %temp3 : f32[1536] at 0
  bands c0 : 64 {
    kernel k0_reshape_64x48x32 rows 1 c0 {
      v0 = counter 0 i64
      parallel i : 64 {
        loop j : 24 {
          lanes k : 16 by 16 x 4 {
            v4 = load %in1[768 i + 32 j + 2 k] f32
            store %temp3[-1536 v0 + 1536 i + 64 j + 2 k] v4
            v6 = load %in1[768 i + 32 j + 2 k + 1] f32
            store %temp3[-1536 v0 + 1536 i + 64 j + 2 k + 1] v6
            v8 = negate v6 f32
            store %temp3[-1536 v0 + 1536 i + 64 j + 2 k + 32] v8
            store %temp3[-1536 v0 + 1536 i + 64 j + 2 k + 33] v4
          }
        }
      }
    }
    kernel k1_reshape_64x32x16x2 rows 1 c0 {
      v0 = counter 0 i64
      parallel i : 64 {
        tile j : 32 x 8 {
          lanes k : 32 by 16 x 2 {
            v4 = reducer add f32
            loop l : 48 {
              v6 = load %in0[1536 i + 48 j + l] f32
              v7 = load %temp3[-1536 v0 + 1536 i + k + 32 l] f32
              v8 = multiply v6, v7 f32
              fold v4 v8
            }
            v11 = total v4 f32
            store %out0[1024 i + 32 j + k] v11
          }
        }
      }
    }
  }
}
