module @jit_four_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xi32>, %arg1: tensor<16xf32>) -> (tensor<27x16xi32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}, tensor<16xi1> {jax.result_info = "result[2]"}, tensor<16x16xi32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<16xi32>) -> tensor<16xi4>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<16xi32>
    %2 = stablehlo.convert %1 : (tensor<16xi32>) -> tensor<16xi4>
    %3 = stablehlo.convert %arg0 : (tensor<16xi32>) -> tensor<16xui4>
    %4 = stablehlo.convert %arg0 : (tensor<16xi32>) -> tensor<16xi8>
    %5 = stablehlo.bitcast_convert %4 : (tensor<16xi8>) -> tensor<16x2xi4>
    %6 = stablehlo.add %0, %2 : tensor<16xi4>
    %7 = stablehlo.subtract %0, %2 : tensor<16xi4>
    %8 = stablehlo.multiply %0, %2 : tensor<16xi4>
    %9 = stablehlo.negate %0 : tensor<16xi4>
    %10 = stablehlo.not %0 : tensor<16xi4>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %11 = call @floor_divide(%0, %c) : (tensor<16xi4>, tensor<i32>) -> tensor<16xi4>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %12 = call @remainder(%3, %c_0) : (tensor<16xui4>, tensor<i32>) -> tensor<16xui4>
    %c_1 = stablehlo.constant dense<1> : tensor<ui4>
    %13 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui4>) -> tensor<16xui4>
    %14 = stablehlo.maximum %3, %13 : tensor<16xui4>
    %15 = call @floor_divide_1(%3, %14) : (tensor<16xui4>, tensor<16xui4>) -> tensor<16xui4>
    %c_2 = stablehlo.constant dense<1> : tensor<ui4>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui4>) -> tensor<16xui4>
    %17 = stablehlo.shift_left %3, %16 : tensor<16xui4>
    %c_3 = stablehlo.constant dense<1> : tensor<i4>
    %18 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %19 = stablehlo.shift_right_arithmetic %0, %18 : tensor<16xi4>
    %20 = stablehlo.and %0, %2 : tensor<16xi4>
    %21 = stablehlo.or %0, %2 : tensor<16xi4>
    %22 = stablehlo.xor %0, %2 : tensor<16xi4>
    %23 = stablehlo.minimum %0, %2 : tensor<16xi4>
    %c_4 = stablehlo.constant dense<-2> : tensor<i32>
    %c_5 = stablehlo.constant dense<3> : tensor<i32>
    %24 = call @clip(%0, %c_4, %c_5) : (tensor<16xi4>, tensor<i32>, tensor<i32>) -> tensor<16xi4>
    %c_6 = stablehlo.constant dense<1> : tensor<i4>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %26 = stablehlo.shift_right_logical %0, %25 : tensor<16xi4>
    %27 = stablehlo.popcnt %3 : tensor<16xui4>
    %28 = stablehlo.count_leading_zeros %3 : tensor<16xui4>
    %29 = stablehlo.convert %arg1 : (tensor<16xf32>) -> tensor<16xi4>
    %30 = stablehlo.convert %arg1 : (tensor<16xf32>) -> tensor<16xui4>
    %31 = stablehlo.bitcast_convert %5 : (tensor<16x2xi4>) -> tensor<16xi8>
    %32 = stablehlo.slice %5 [0:16, 1:2] : (tensor<16x2xi4>) -> tensor<16x1xi4>
    %33 = stablehlo.reshape %32 : (tensor<16x1xi4>) -> tensor<16xi4>
    %34 = call @sort(%0) : (tensor<16xi4>) -> tensor<16xi4>
    %35 = stablehlo.compare GT, %0, %2, SIGNED : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
    %36 = call @_where(%35, %0, %2) : (tensor<16xi1>, tensor<16xi4>, tensor<16xi4>) -> tensor<16xi4>
    %37 = stablehlo.bitcast_convert %0 : (tensor<16xi4>) -> tensor<16xui4>
    %38 = stablehlo.convert %arg0 : (tensor<16xi32>) -> tensor<16xi2>
    %c_7 = stablehlo.constant dense<1> : tensor<i2>
    %39 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i2>) -> tensor<16xi2>
    %40 = stablehlo.add %38, %39 : tensor<16xi2>
    %41 = call @cumsum(%3) : (tensor<16xui4>) -> tensor<16xui4>
    %42 = stablehlo.convert %6 : (tensor<16xi4>) -> tensor<16xi32>
    %43 = stablehlo.convert %7 : (tensor<16xi4>) -> tensor<16xi32>
    %44 = stablehlo.convert %8 : (tensor<16xi4>) -> tensor<16xi32>
    %45 = stablehlo.convert %9 : (tensor<16xi4>) -> tensor<16xi32>
    %46 = stablehlo.convert %10 : (tensor<16xi4>) -> tensor<16xi32>
    %47 = stablehlo.convert %11 : (tensor<16xi4>) -> tensor<16xi32>
    %48 = stablehlo.convert %12 : (tensor<16xui4>) -> tensor<16xi32>
    %49 = stablehlo.convert %15 : (tensor<16xui4>) -> tensor<16xi32>
    %50 = stablehlo.convert %17 : (tensor<16xui4>) -> tensor<16xi32>
    %51 = stablehlo.convert %19 : (tensor<16xi4>) -> tensor<16xi32>
    %52 = stablehlo.convert %20 : (tensor<16xi4>) -> tensor<16xi32>
    %53 = stablehlo.convert %21 : (tensor<16xi4>) -> tensor<16xi32>
    %54 = stablehlo.convert %22 : (tensor<16xi4>) -> tensor<16xi32>
    %55 = stablehlo.convert %23 : (tensor<16xi4>) -> tensor<16xi32>
    %56 = stablehlo.convert %24 : (tensor<16xi4>) -> tensor<16xi32>
    %57 = stablehlo.convert %26 : (tensor<16xi4>) -> tensor<16xi32>
    %58 = stablehlo.convert %27 : (tensor<16xui4>) -> tensor<16xi32>
    %59 = stablehlo.convert %28 : (tensor<16xui4>) -> tensor<16xi32>
    %60 = stablehlo.convert %29 : (tensor<16xi4>) -> tensor<16xi32>
    %61 = stablehlo.convert %30 : (tensor<16xui4>) -> tensor<16xi32>
    %62 = stablehlo.convert %31 : (tensor<16xi8>) -> tensor<16xi32>
    %63 = stablehlo.convert %33 : (tensor<16xi4>) -> tensor<16xi32>
    %64 = stablehlo.convert %34 : (tensor<16xi4>) -> tensor<16xi32>
    %65 = stablehlo.convert %36 : (tensor<16xi4>) -> tensor<16xi32>
    %66 = stablehlo.convert %37 : (tensor<16xui4>) -> tensor<16xi32>
    %67 = stablehlo.convert %40 : (tensor<16xi2>) -> tensor<16xi32>
    %68 = stablehlo.convert %41 : (tensor<16xui4>) -> tensor<16xi32>
    %69 = stablehlo.broadcast_in_dim %42, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %70 = stablehlo.broadcast_in_dim %43, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %71 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %72 = stablehlo.broadcast_in_dim %45, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %73 = stablehlo.broadcast_in_dim %46, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %74 = stablehlo.broadcast_in_dim %47, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %75 = stablehlo.broadcast_in_dim %48, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %76 = stablehlo.broadcast_in_dim %49, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %77 = stablehlo.broadcast_in_dim %50, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %78 = stablehlo.broadcast_in_dim %51, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %79 = stablehlo.broadcast_in_dim %52, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %80 = stablehlo.broadcast_in_dim %53, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %81 = stablehlo.broadcast_in_dim %54, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %82 = stablehlo.broadcast_in_dim %55, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %83 = stablehlo.broadcast_in_dim %56, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %84 = stablehlo.broadcast_in_dim %57, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %85 = stablehlo.broadcast_in_dim %58, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %86 = stablehlo.broadcast_in_dim %59, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %87 = stablehlo.broadcast_in_dim %60, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %88 = stablehlo.broadcast_in_dim %61, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %89 = stablehlo.broadcast_in_dim %62, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %90 = stablehlo.broadcast_in_dim %63, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %91 = stablehlo.broadcast_in_dim %64, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %92 = stablehlo.broadcast_in_dim %65, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %93 = stablehlo.broadcast_in_dim %66, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %94 = stablehlo.broadcast_in_dim %67, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %95 = stablehlo.broadcast_in_dim %68, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %96 = stablehlo.concatenate %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, dim = 0 : (tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>) -> tensor<16x16xi32>
    %97 = stablehlo.concatenate %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, dim = 0 : (tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>) -> tensor<11x16xi32>
    %98 = stablehlo.concatenate %96, %97, dim = 0 : (tensor<16x16xi32>, tensor<11x16xi32>) -> tensor<27x16xi32>
    %c_8 = stablehlo.constant dense<-8> : tensor<i4>
    %99 = stablehlo.reduce(%0 init: %c_8) applies stablehlo.maximum across dimensions = [0] : (tensor<16xi4>, tensor<i4>) -> tensor<i4>
    %100 = stablehlo.convert %99 : (tensor<i4>) -> tensor<i32>
    %101 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
    %102 = stablehlo.dot_general %0, %2, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<16xi4>, tensor<16xi4>) -> tensor<16x16xi32>
    return %98, %100, %101, %102 : tensor<27x16xi32>, tensor<i32>, tensor<16xi1>, tensor<16x16xi32>
  }
  func.func private @floor_divide(%arg0: tensor<16xi4>, %arg1: tensor<i32>) -> tensor<16xi4> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<i4>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %2 = stablehlo.divide %arg0, %1 : tensor<16xi4>
    %3 = stablehlo.sign %arg0 : tensor<16xi4>
    %4 = stablehlo.sign %0 : tensor<i4>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %8 = stablehlo.remainder %arg0, %7 : tensor<16xi4>
    %c = stablehlo.constant dense<0> : tensor<i4>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<16xi4>, tensor<16xi4>) -> tensor<16xi1>
    %11 = stablehlo.and %6, %10 : tensor<16xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i4>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %13 = stablehlo.subtract %2, %12 : tensor<16xi4>
    %14 = call @_where(%11, %13, %2) : (tensor<16xi1>, tensor<16xi4>, tensor<16xi4>) -> tensor<16xi4>
    return %14 : tensor<16xi4>
  }
  func.func private @_where(%arg0: tensor<16xi1>, %arg1: tensor<16xi4>, %arg2: tensor<16xi4>) -> tensor<16xi4> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<16xi1>, tensor<16xi4>
    return %0 : tensor<16xi4>
  }
  func.func private @remainder(%arg0: tensor<16xui4>, %arg1: tensor<i32>) -> tensor<16xui4> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui4>
    %c = stablehlo.constant dense<0> : tensor<ui4>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui4>, tensor<ui4>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui4>
    %2 = call @_where_0(%1, %c_0, %0) : (tensor<i1>, tensor<ui4>, tensor<ui4>) -> tensor<ui4>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui4>) -> tensor<16xui4>
    %4 = stablehlo.remainder %arg0, %3 : tensor<16xui4>
    %c_1 = stablehlo.constant dense<0> : tensor<ui4>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui4>) -> tensor<16xui4>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<16xui4>, tensor<16xui4>) -> tensor<16xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui4>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui4>) -> tensor<16xui4>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<16xui4>, tensor<16xui4>) -> tensor<16xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui4>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui4>, tensor<ui4>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<16xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<16xi1>, tensor<16xi1>) -> tensor<16xi1>
    %12 = stablehlo.and %11, %6 : tensor<16xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui4>) -> tensor<16xui4>
    %14 = stablehlo.add %4, %13 : tensor<16xui4>
    %15 = stablehlo.select %12, %14, %4 : tensor<16xi1>, tensor<16xui4>
    return %15 : tensor<16xui4>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<ui4>, %arg2: tensor<ui4>) -> tensor<ui4> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui4>
    return %0 : tensor<ui4>
  }
  func.func private @floor_divide_1(%arg0: tensor<16xui4>, %arg1: tensor<16xui4>) -> tensor<16xui4> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<16xui4>
    return %0 : tensor<16xui4>
  }
  func.func private @clip(%arg0: tensor<16xi4>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<16xi4> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<i4>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %2 = stablehlo.maximum %1, %arg0 : tensor<16xi4>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<i4>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i4>) -> tensor<16xi4>
    %5 = stablehlo.minimum %4, %2 : tensor<16xi4>
    return %5 : tensor<16xi4>
  }
  func.func private @sort(%arg0: tensor<16xi4>) -> tensor<16xi4> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i4>, %arg2: tensor<i4>):
      %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i4>, tensor<i4>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<16xi4>) -> tensor<16xi4>
    return %0 : tensor<16xi4>
  }
  func.func private @cumsum(%arg0: tensor<16xui4>) -> tensor<16xui4> {
    %0 = call @cumsum_2(%arg0) : (tensor<16xui4>) -> tensor<16xui4>
    return %0 : tensor<16xui4>
  }
  func.func private @cumsum_2(%arg0: tensor<16xui4>) -> tensor<16xui4> {
    %c = stablehlo.constant dense<0> : tensor<ui4>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui4>) -> tensor<ui4>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[15, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 16>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<ui4>, %arg2: tensor<ui4>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<ui4>
      stablehlo.return %2 : tensor<ui4>
    }) : (tensor<16xui4>, tensor<ui4>) -> tensor<16xui4>
    return %1 : tensor<16xui4>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x130000001200000010000000000000000B000000FCFFFFFF0F000000F9FFFFFF0C00000009000000FFFFFFFF0400000004000000F7FFFFFFF8FFFFFF0B000000"> : tensor<16xi32>
    %a1 = stablehlo.constant dense<"0x7F94013F5D0911403938E3C0E91F82C00EEE96C0BDE06E404B820841F13E8840CCA0DFBFA966EA40DA41F2C0B5E5EF4011FD51C0686C5EC17B105441D37BFC40"> : tensor<16xf32>
    %r:4 = call @main(%a0, %a1) : (tensor<16xi32>, tensor<16xf32>) -> (tensor<27x16xi32>, tensor<i32>, tensor<16xi1>, tensor<16x16xi32>)
    %e0 = stablehlo.constant dense<"0xFEFFFFFFFAFFFFFF0700000004000000FFFFFFFFFBFFFFFFF8FFFFFF0500000005000000F8FFFFFFFBFFFFFFFFFFFFFF0400000007000000FAFFFFFFFEFFFFFFF8FFFFFFFAFFFFFFF9FFFFFFFCFFFFFF07000000FDFFFFFF06000000FDFFFFFF03000000FAFFFFFF03000000F9FFFFFF040000000700000006000000F8FFFFFF01000000000000000000000000000000FCFFFFFF0400000007000000FCFFFFFFFCFFFFFF0700000004000000FCFFFFFF00000000000000000000000001000000FDFFFFFFFEFFFFFF000000000000000005000000040000000100000007000000040000000700000001000000FCFFFFFFFCFFFFFFF9FFFFFFF8FFFFFF05000000FCFFFFFFFDFFFFFFFFFFFFFFFFFFFFFF04000000030000000000000006000000030000000600000000000000FBFFFFFFFBFFFFFFF8FFFFFF070000000400000001000000000000000000000000000000FEFFFFFFFEFFFFFFFFFFFFFFFDFFFFFFFEFFFFFFFDFFFFFFFFFFFFFF010000000100000002000000FDFFFFFFFEFFFFFF03000000020000000000000000000000010000000200000000000000040000000200000004000000000000000400000004000000020000000300000001000000010000000100000000000000000000000100000001000000010000000100000001000000010000000100000001000000010000000100000001000000010000000600000004000000000000000000000006000000080000000E0000000200000008000000020000000E00000008000000080000000E000000000000000600000001000000010000000000000000000000FDFFFFFFFEFFFFFFFFFFFFFFFCFFFFFFFEFFFFFFFCFFFFFFFFFFFFFF020000000200000003000000FCFFFFFFFDFFFFFF0300000000000000000000000000000000000000FCFFFFFFF9FFFFFFF8FFFFFFF8FFFFFFF9FFFFFFFCFFFFFF0000000000000000000000000000000003000000FBFFFFFFFAFFFFFF0700000004000000FFFFFFFFFFFFFFFFFFFFFFFFFDFFFFFFFDFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF0400000007000000FAFFFFFFFBFFFFFFF8FFFFFFFAFFFFFF0700000004000000FFFFFFFF030000000600000005000000050000000600000003000000FFFFFFFF0400000007000000FAFFFFFFF8FFFFFFFBFFFFFFF8FFFFFF0000000000000000FBFFFFFFFCFFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFFCFFFFFFFBFFFFFF0000000000000000F8FFFFFFFBFFFFFF03000000020000000000000000000000FEFFFFFFFEFFFFFFFFFFFFFFFEFFFFFFFEFFFFFFFEFFFFFFFFFFFFFF030000000300000003000000FEFFFFFFFEFFFFFF0100000001000000000000000000000005000000060000000700000004000000060000000400000007000000020000000200000003000000040000000500000002000000010000000000000000000000030000000200000004000000020000000200000002000000040000000100000001000000030000000100000003000000020000000200000004000000040000000000000000000000000000000000000000000000000000000000000001000000010000000100000000000000000000000000000002000000F9FFFFFFFCFFFFFFFCFFFFFF030000000700000004000000FFFFFFFF07000000F9FFFFFF07000000FDFFFFFFF8FFFFFF070000000700000000000000020000000000000000000000000000000300000008000000040000000000000007000000000000000700000000000000000000000D00000007000000130000001200000010000000000000000B000000FCFFFFFF0F000000F9FFFFFF0C00000009000000FFFFFFFF0400000004000000F7FFFFFFF8FFFFFF0B0000000100000001000000010000000000000000000000FFFFFFFF00000000FFFFFFFF0000000000000000FFFFFFFF0000000000000000FFFFFFFFFFFFFFFF00000000F8FFFFFFF9FFFFFFF9FFFFFFFBFFFFFFFBFFFFFFFCFFFFFFFCFFFFFFFFFFFFFFFFFFFFFF000000000000000002000000030000000400000004000000070000000300000002000000070000000400000004000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFFFFFFFFFFFFFFFF0400000004000000070000000200000003000000030000000200000000000000000000000B0000000C0000000F000000090000000C000000090000000F000000040000000400000007000000080000000B00000000000000FFFFFFFF0100000001000000000000000100000000000000FEFFFFFF01000000FEFFFFFF00000000010000000100000000000000010000000000000003000000050000000500000005000000000000000C0000000B000000040000000000000009000000080000000C00000000000000070000000F0000000A000000"> : tensor<27x16xi32>
    check.expect_eq %r#0, %e0 : tensor<27x16xi32>, tensor<27x16xi32>
    %e1 = stablehlo.constant dense<"0x07000000"> : tensor<i32>
    check.expect_eq %r#1, %e1 : tensor<i32>, tensor<i32>
    %e2 = stablehlo.constant dense<"0x00000101010100010001000000000101"> : tensor<16xi1>
    check.expect_eq %r#2, %e2 : tensor<16xi1>, tensor<16xi1>
    %e3 = stablehlo.constant dense<"0xF1FFFFFFE8FFFFFF150000000C0000000C000000FDFFFFFFEBFFFFFFF4FFFFFFEBFFFFFFFDFFFFFFF4FFFFFFF1FFFFFF00000000000000000600000009000000F6FFFFFFF0FFFFFF0E0000000800000008000000FEFFFFFFF2FFFFFFF8FFFFFFF2FFFFFFFEFFFFFFF8FFFFFFF6FFFFFF0000000000000000040000000600000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001900000028000000DDFFFFFFECFFFFFFECFFFFFF050000002300000014000000230000000500000014000000190000000000000000000000F6FFFFFFF1FFFFFF1400000020000000E4FFFFFFF0FFFFFFF0FFFFFF040000001C000000100000001C0000000400000010000000140000000000000000000000F8FFFFFFF4FFFFFF0500000008000000F9FFFFFFFCFFFFFFFCFFFFFF010000000700000004000000070000000100000004000000050000000000000000000000FEFFFFFFFDFFFFFF2300000038000000CFFFFFFFE4FFFFFFE4FFFFFF07000000310000001C00000031000000070000001C000000230000000000000000000000F2FFFFFFEBFFFFFF1400000020000000E4FFFFFFF0FFFFFFF0FFFFFF040000001C000000100000001C0000000400000010000000140000000000000000000000F8FFFFFFF4FFFFFF2300000038000000CFFFFFFFE4FFFFFFE4FFFFFF07000000310000001C00000031000000070000001C000000230000000000000000000000F2FFFFFFEBFFFFFF0500000008000000F9FFFFFFFCFFFFFFFCFFFFFF010000000700000004000000070000000100000004000000050000000000000000000000FEFFFFFFFDFFFFFFECFFFFFFE0FFFFFF1C0000001000000010000000FCFFFFFFE4FFFFFFF0FFFFFFE4FFFFFFFCFFFFFFF0FFFFFFECFFFFFF0000000000000000080000000C000000ECFFFFFFE0FFFFFF1C0000001000000010000000FCFFFFFFE4FFFFFFF0FFFFFFE4FFFFFFFCFFFFFFF0FFFFFFECFFFFFF0000000000000000080000000C000000DDFFFFFFC8FFFFFF310000001C0000001C000000F9FFFFFFCFFFFFFFE4FFFFFFCFFFFFFFF9FFFFFFE4FFFFFFDDFFFFFF00000000000000000E000000150000002800000040000000C8FFFFFFE0FFFFFFE0FFFFFF080000003800000020000000380000000800000020000000280000000000000000000000F0FFFFFFE8FFFFFF1900000028000000DDFFFFFFECFFFFFFECFFFFFF050000002300000014000000230000000500000014000000190000000000000000000000F6FFFFFFF1FFFFFF"> : tensor<16x16xi32>
    check.expect_eq %r#3, %e3 : tensor<16x16xi32>, tensor<16x16xi32>
    return
  }
}
