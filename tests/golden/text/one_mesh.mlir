// RUN: print
// Moving shards over a mesh of one device is nothing, and a computation on its shards is the computation.
module @one_mesh attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=1]>
  sdy.mesh @"no axes" = <[], device_ids=[0]>
  func.func public @main(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<4xi4>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xi4>) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<4x2xf32>
    %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>
    %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<4x2xf32>
    %3 = sdy.all_to_all [{"y"}: 1->0] %2 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x2xf32>
    %4 = sdy.collective_permute %3 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>
    %5 = sdy.all_reduce {"y"} %4 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>
    %6 = sdy.reduce_scatter [{}, {"y"}] %5 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x2xf32>
    %7 = sdy.reshard %6 <@"no axes", [{}, {}]> {mhlo.frontend_attributes = {a = "b=2"}} : tensor<4x2xf32>
    %8 = sdy.propagation_barrier %7 allowed_direction=NONE : tensor<4x2xf32>
    %9 = "sdy.reshard"(%8) <{sharding = #sdy.sharding<mesh<["z"=1]>, [{}, {}]>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %10:2 = sdy.manual_computation(%9, %x) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] manual_axes={"x", "y"} (%a: tensor<4x2xf32>, %b: tensor<4x2xf32>) {
      %n = stablehlo.add %a, %b : tensor<4x2xf32>
      %m = "sdy.named_computation"(%n) <{name = "wave", in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}> ({
      ^bb0(%c: tensor<4x2xf32>):
        %k = stablehlo.sine %c : tensor<4x2xf32>
        sdy.return %k : tensor<4x2xf32>
      }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
      sdy.return %m, %b : tensor<4x2xf32>, tensor<4x2xf32>
    } : (tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
    %11 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{}, {}]>] manual_axes={} () {
      %k = stablehlo.constant dense<1.0> : tensor<4x2xf32>
      sdy.return %k : tensor<4x2xf32>
    } : () -> tensor<4x2xf32>
    %12 = sdy.named_computation<"small">(%i) (%c: tensor<4xi4>) {
      sdy.return %c : tensor<4xi4>
    } : (tensor<4xi4>) -> tensor<4xi4>
    %13 = stablehlo.custom_call @SPMDFullToShardShape(%10#0) {mhlo.sharding = "{manual}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %14 = stablehlo.custom_call @MoveToHost(%13) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %15 = stablehlo.custom_call @MoveToDevice(%14) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %16 = stablehlo.custom_call @annotate_device_placement(%15) {has_side_effect = true} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %19 = stablehlo.custom_call @LayoutConstraint(%16) {backend_config = "", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %17 = stablehlo.custom_call @SPMDShardToFullShape(%19) {mhlo.sharding = "{replicated}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %18 = stablehlo.add %17, %11 : tensor<4x2xf32>
    %20:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%18, %12) : (tensor<4x2xf32>, tensor<4xi4>) -> (tensor<4x2xf32>, tensor<4xi4>)
    %21 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%20#0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %22 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%21) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %22, %10#1, %12 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xi4>
  }
}
// ----- becomes
func.func @main(%x: tensor<4x2xf32>, %i: tensor<4xi8>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xi8>) {
  %c = stablehlo.constant dense<4> : tensor<4xi8>
  %0 = stablehlo.shift_left %i, %c : tensor<4xi8>
  %1 = stablehlo.shift_right_arithmetic %0, %c : tensor<4xi8>
  %2 = stablehlo.add %x, %x : tensor<4x2xf32>
  %3 = stablehlo.sine %2 : tensor<4x2xf32>
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x2xf32>
  %4 = stablehlo.add %3, %cst : tensor<4x2xf32>
  return %4, %x, %1 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xi8>
}
