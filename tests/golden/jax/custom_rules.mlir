module @jit_custom_rules attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2xf32>, %arg1: tensor<3x2xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}, tensor<3x2xf32> {jax.result_info = "result[2][0]"}, tensor<3x2xf32> {jax.result_info = "result[2][1]"}, tensor<3x2xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<3x2xf32>
    %1 = stablehlo.log_plus_one %0 : tensor<3x2xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<3x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.negate %arg0 : tensor<3x2xf32>
    %5 = stablehlo.exponential %4 : tensor<3x2xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %7 = stablehlo.add %6, %5 : tensor<3x2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %9 = stablehlo.divide %8, %7 : tensor<3x2xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %11 = stablehlo.multiply %10, %arg0 : tensor<3x2xf32>
    %cst_3 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %12 = call @clip(%11, %cst_3, %cst_4) : (tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> tensor<3x2xf32>
    %13 = stablehlo.multiply %12, %9 : tensor<3x2xf32>
    %14 = stablehlo.exponential %arg0 : tensor<3x2xf32>
    %15 = stablehlo.log_plus_one %14 : tensor<3x2xf32>
    %16 = stablehlo.negate %arg0 : tensor<3x2xf32>
    %17 = stablehlo.exponential %16 : tensor<3x2xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %19 = stablehlo.add %18, %17 : tensor<3x2xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %21 = stablehlo.divide %20, %19 : tensor<3x2xf32>
    %22 = stablehlo.multiply %arg1, %21 : tensor<3x2xf32>
    %23 = stablehlo.iota dim = 0 : tensor<1x1xi32>
    %24 = stablehlo.iota dim = 1 : tensor<1x1xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x1xi32>
    %26 = stablehlo.add %23, %25 : tensor<1x1xi32>
    %27 = stablehlo.compare EQ, %26, %24, SIGNED : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
    %28 = stablehlo.convert %27 : (tensor<1x1xi1>) -> tensor<1x1xf32>
    %29 = stablehlo.slice %28 [0:1, 0:1] : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %30 = stablehlo.reshape %29 : (tensor<1x1xf32>) -> tensor<1xf32>
    %31 = stablehlo.convert %30 : tensor<1xf32>
    %32 = stablehlo.negate %arg0 : tensor<3x2xf32>
    %33 = stablehlo.exponential %32 : tensor<3x2xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %35 = stablehlo.add %34, %33 : tensor<3x2xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %37 = stablehlo.divide %36, %35 : tensor<3x2xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %39 = stablehlo.subtract %38, %37 : tensor<3x2xf32>
    %40 = stablehlo.multiply %37, %39 : tensor<3x2xf32>
    %41 = stablehlo.broadcast_in_dim %31, dims = [1] : (tensor<1xf32>) -> tensor<1x1xf32>
    %42 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
    %43 = stablehlo.broadcast_in_dim %41, dims = [1, 2] : (tensor<1x1xf32>) -> tensor<1x1x1xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<3x2x1xf32>
    %45 = stablehlo.multiply %44, %42 : tensor<3x2x1xf32>
    %46 = stablehlo.iota dim = 0 : tensor<1x1xi32>
    %47 = stablehlo.iota dim = 1 : tensor<1x1xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<1x1xi32>
    %49 = stablehlo.add %46, %48 : tensor<1x1xi32>
    %50 = stablehlo.compare EQ, %49, %47, SIGNED : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
    %51 = stablehlo.convert %50 : (tensor<1x1xi1>) -> tensor<1x1xf32>
    %52 = stablehlo.slice %51 [0:1, 0:1] : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %53 = stablehlo.reshape %52 : (tensor<1x1xf32>) -> tensor<1xf32>
    %54 = stablehlo.convert %53 : tensor<1xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [1] : (tensor<1xf32>) -> tensor<1x1xf32>
    %56 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<3x2x1xf32>) -> tensor<3x2x1x1xf32>
    %57 = stablehlo.broadcast_in_dim %55, dims = [1, 2] : (tensor<1x1xf32>) -> tensor<1x1x1xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [1, 2, 3] : (tensor<1x1x1xf32>) -> tensor<1x1x1x1xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<3x2x1x1xf32>
    %60 = stablehlo.multiply %59, %56 : tensor<3x2x1x1xf32>
    %61 = stablehlo.slice %60 [0:3, 0:2, 0:1, 0:1] : (tensor<3x2x1x1xf32>) -> tensor<3x2x1x1xf32>
    %62 = stablehlo.reshape %61 : (tensor<3x2x1x1xf32>) -> tensor<3x2x1xf32>
    %63 = stablehlo.slice %62 [0:3, 0:2, 0:1] : (tensor<3x2x1xf32>) -> tensor<3x2x1xf32>
    %64 = stablehlo.reshape %63 : (tensor<3x2x1xf32>) -> tensor<3x2xf32>
    return %3, %13, %15, %22, %64 : tensor<f32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
  }
  func.func private @clip(%arg0: tensor<3x2xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<3x2xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<3x2xf32>
    %3 = stablehlo.convert %arg2 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<3x2xf32>
    return %5 : tensor<3x2xf32>
  }
  func.func @check() {
    %a0 = stablehlo.constant dense<"0x69664C3F344D0E3F8F46A1BDAC2A63BF6597213FB13414BF"> : tensor<3x2xf32>
    %a1 = stablehlo.constant dense<"0xEFA995BF145C4DBF6163B93FE076613E3562943F926BF5BE"> : tensor<3x2xf32>
    %r:5 = call @main(%a0, %a1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<f32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>)
    %e0 = stablehlo.constant dense<"0xE61AC63F"> : tensor<f32>
    check.expect_almost_eq %r#0, %e0, tolerance = 2.0e-5 : tensor<f32>, tensor<f32>
    %e1 = stablehlo.constant dense<"0x023D8D3D4326823DC8ED1ABD0BECEEBCB3AF853DA71E13BD"> : tensor<3x2xf32>
    check.expect_almost_eq %r#1, %e1, tolerance = 2.0e-5 : tensor<3x2xf32>, tensor<3x2xf32>
    %e2 = stablehlo.constant dense<"0x50C3953FFD2D813F7990273F628CB03E7C64873FBAD7E33E"> : tensor<3x2xf32>
    check.expect_almost_eq %r#2, %e2, tolerance = 2.0e-5 : tensor<3x2xf32>, tensor<3x2xf32>
    %e3 = stablehlo.constant dense<"0xA86D4EBF508102BFAE17323FC183833D26B8413FB24C30BE"> : tensor<3x2xf32>
    check.expect_almost_eq %r#3, %e3, tolerance = 2.0e-5 : tensor<3x2xf32>, tensor<3x2xf32>
    %e4 = stablehlo.constant dense<"0x6A2C5B3E4D336D3E809A7F3EB78C533E4A1A683E8CB16B3E"> : tensor<3x2xf32>
    check.expect_almost_eq %r#4, %e4, tolerance = 2.0e-5 : tensor<3x2xf32>, tensor<3x2xf32>
    return
  }
}
