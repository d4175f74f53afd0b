// RUN: fuse
// A narrow image, read at nine points as wider numbers: these are made where they are used, not stored.
func.func @box(%x: tensor<34x66xui8>) -> tensor<32x64xui8> {
  %wide = stablehlo.convert %x : (tensor<34x66xui8>) -> tensor<34x66xi32>
  %0 = stablehlo.slice %wide [0:32, 0:64] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %1 = stablehlo.slice %wide [0:32, 1:65] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %2 = stablehlo.slice %wide [0:32, 2:66] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %3 = stablehlo.slice %wide [1:33, 0:64] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %4 = stablehlo.slice %wide [1:33, 1:65] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %5 = stablehlo.slice %wide [1:33, 2:66] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %6 = stablehlo.slice %wide [2:34, 0:64] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %7 = stablehlo.slice %wide [2:34, 1:65] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %8 = stablehlo.slice %wide [2:34, 2:66] : (tensor<34x66xi32>) -> tensor<32x64xi32>
  %s1 = stablehlo.add %0, %1 : tensor<32x64xi32>
  %s2 = stablehlo.add %s1, %2 : tensor<32x64xi32>
  %s3 = stablehlo.add %s2, %3 : tensor<32x64xi32>
  %s4 = stablehlo.add %s3, %4 : tensor<32x64xi32>
  %s5 = stablehlo.add %s4, %5 : tensor<32x64xi32>
  %s6 = stablehlo.add %s5, %6 : tensor<32x64xi32>
  %s7 = stablehlo.add %s6, %7 : tensor<32x64xi32>
  %s8 = stablehlo.add %s7, %8 : tensor<32x64xi32>
  %nine = stablehlo.constant dense<9> : tensor<32x64xi32>
  %mean = stablehlo.divide %s8, %nine : tensor<32x64xi32>
  %y = stablehlo.convert %mean : (tensor<32x64xi32>) -> tensor<32x64xui8>
  return %y : tensor<32x64xui8>
}
// ----- becomes
program box (default; 0 bytes of scratch; 82704 bytes never written) {
  %in0 : u8[2244]
  %out0 : u8[2048]
  kernel k0_convert_32x64 {
    v0 = 9 i32
    parallel i : 32 {
      lanes j : 64 by 16 x 4 {
        v3 = load %in0[66 i + j] u8
        v4 = convert v3 i32
        v5 = load %in0[66 i + j + 1] u8
        v6 = convert v5 i32
        v7 = add v4, v6 i32
        v8 = load %in0[66 i + j + 2] u8
        v9 = convert v8 i32
        v10 = add v7, v9 i32
        v11 = load %in0[66 i + j + 66] u8
        v12 = convert v11 i32
        v13 = add v10, v12 i32
        v14 = load %in0[66 i + j + 67] u8
        v15 = convert v14 i32
        v16 = add v13, v15 i32
        v17 = load %in0[66 i + j + 68] u8
        v18 = convert v17 i32
        v19 = add v16, v18 i32
        v20 = load %in0[66 i + j + 132] u8
        v21 = convert v20 i32
        v22 = add v19, v21 i32
        v23 = load %in0[66 i + j + 133] u8
        v24 = convert v23 i32
        v25 = add v22, v24 i32
        v26 = load %in0[66 i + j + 134] u8
        v27 = convert v26 i32
        v28 = add v25, v27 i32
        v29 = divide v28, v0 i32
        v30 = convert v29 u8
        store %out0[64 i + j] v30
      }
    }
  }
}
