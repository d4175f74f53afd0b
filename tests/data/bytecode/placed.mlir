module @placed {
  sdy.mesh @mesh = <["x"=1, "y"=1]>
  func.func @main(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<4x2xf32>
    %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>
    %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<4x2xf32>
    %3 = sdy.all_to_all [{"y"}: 1->0] %2 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x2xf32>
    %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x2xf32>
    %5 = sdy.reshard %4 <mesh<[]>, [{}, {}]> : tensor<4x2xf32>
    %6 = sdy.propagation_barrier %5 allowed_direction=NONE : tensor<4x2xf32>
    %7 = sdy.manual_computation(%6) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x2xf32>) {
      %8 = sdy.named_computation<"wave">(%arg1) (%arg2: tensor<4x2xf32>) {
        %9 = stablehlo.sine %arg2 : tensor<4x2xf32>
        sdy.return %9 : tensor<4x2xf32>
      } : (tensor<4x2xf32>) -> tensor<4x2xf32>
      sdy.return %8 : tensor<4x2xf32>
    } : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %7 : tensor<4x2xf32>
  }
}
