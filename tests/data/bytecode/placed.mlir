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
      %17 = sdy.named_computation<"wave">(%arg1) (%arg2: tensor<4x2xf32>) {
        %18 = stablehlo.sine %arg2 : tensor<4x2xf32>
        sdy.return %18 : tensor<4x2xf32>
      } : (tensor<4x2xf32>) -> tensor<4x2xf32>
      sdy.return %17 : tensor<4x2xf32>
    } : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %8 = sdy.sharded_to_unreduced [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<4x2xf32>
    %9 = sdy.replicated_to_unreduced {"y"} %8 out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<4x2xf32>
    %10 = sdy.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<4x2xf32>
    %11 = stablehlo.cosine %10 : tensor<4x2xf32>
    %12 = sdy.data_flow_edge %11 sharding=<@mesh, [{"x", ?}, {?}p1], replicated={"y"}> : tensor<4x2xf32>
    %13 = call @sines(%12) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %14 = sdy.func_data_flow_edge %13 : tensor<4x2xf32>
    sdy.sharding_group %14 group_id=3 : tensor<4x2xf32>
    %15 = stablehlo.add %7, %9 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=2}, custom>} : tensor<4x2xf32>
    %16 = stablehlo.multiply %15, %14 : tensor<4x2xf32>
    return %16 : tensor<4x2xf32>
  }
  func.func private @sines(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.sine %arg0 : tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
