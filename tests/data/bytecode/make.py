"""Writes the files of this folder anew, with JAX: python3 make.py. Of each program of it NAME.mlir (text), NAME.plain.mlirbc (StableHLO
in MLIR's own bytecode), and VHLO of an old version and of a new one, NAME.0.9.0.mlirbc and NAME.1.17.0.mlirbc."""
import pathlib
import jax
import jax.numpy as jnp
from jax import export, lax
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

jax.config.update('jax_hlo_source_file_canonicalization_regex', '.*/')    # places without folders
here = pathlib.Path(__file__).parent
x, v, i = jnp.ones((4, 4)), jnp.ones(8), jnp.array([0, 2])


def control(x):
    doubled = lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2), (0, x))[1]
    return lax.cond(x[0, 0] > 0, jnp.tanh, jnp.cos, lax.scan(lambda c, a: (c + a, c * a), x[0], doubled)[1])


def convolutions(x, w):
    dims = ('NHWC', 'HWIO', 'NCHW')
    y = lax.conv_general_dilated(x, w, (1, 2), [(1, -1), (0, 2)], (1, 2), (2, 1), dims, feature_group_count=2)
    return y, jax.grad(lambda w: (lax.conv_general_dilated(x, w, (2, 1), 'SAME', dimension_numbers=dims, feature_group_count=2) ** 2).sum())(w)


def factors(a, b):
    lower, order = jnp.linalg.cholesky(a), jax.lax.linalg.lu(a)[2]
    return jax.lax.linalg.triangular_solve(lower, b, left_side=True, lower=True, transpose_a=True), order, jnp.linalg.qr(a), jnp.linalg.eigh(a)


programs = {
    'products': (lambda x: jnp.einsum('bij,bjk->bik', x[None], x[None]) @ x, (x,)),
    'places': (lambda x, i: x.at[i].add(x[i] * jnp.array([True, False, True, True])), (x, i)),
    'control': (control, (x,)),
    'convolutions': (convolutions, (jnp.ones((2, 5, 4, 6)), jnp.ones((3, 2, 3, 8)))),
    'factors': (factors, (jnp.ones((2, 4, 4)), jnp.ones((2, 4, 3)))),
    'order': (lambda v: (jnp.sort(v), jnp.cumsum(v), jnp.pad(v, 2)[::-1], v.astype(jnp.bfloat16)), (v,)),
}
# Ops that JAX never writes.
texts = {'letters': """module @letters {
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<5xi32>) -> (tensor<2x4xf32>, tensor<3x2xf32>, tensor<2x5xf32>) {
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.unary_einsum %a, config = "ij->ji" : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = "stablehlo.torch_index_select"(%a, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<5xi32>) -> tensor<2x5xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<3x2xf32>, tensor<2x5xf32>
}
}""", 'pairs': """module @pairs {
func.func public @main(%t: tuple<tensor<2xf32>, tuple<tensor<i32>, tensor<3xf32>>>, %y: tensor<2xf32>) -> (tuple<tensor<3xf32>, tuple<tensor<2xf32>>>, tensor<i32>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  %2 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>, tensor<3xf32>>>) -> tuple<tensor<i32>, tensor<3xf32>>
  %3:2 = call @swapped(%2, %1) : (tuple<tensor<i32>, tensor<3xf32>>, !stablehlo.token) -> (tuple<tensor<3xf32>, tensor<i32>>, !stablehlo.token)
  %4 = stablehlo.get_tuple_element %3#0[0] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<3xf32>
  %5 = stablehlo.get_tuple_element %3#0[1] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<i32>
  %6 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xf32>, tuple<tensor<i32>, tensor<3xf32>>>) -> tensor<2xf32>
  %7 = stablehlo.add %6, %y : tensor<2xf32>
  %8 = stablehlo.tuple %7 : tuple<tensor<2xf32>>
  %9 = stablehlo.tuple %4, %8 : tuple<tensor<3xf32>, tuple<tensor<2xf32>>>
  return %9, %5 : tuple<tensor<3xf32>, tuple<tensor<2xf32>>>, tensor<i32>
}
func.func private @swapped(%t: tuple<tensor<i32>, tensor<3xf32>>, %k: !stablehlo.token) -> (tuple<tensor<3xf32>, tensor<i32>>, !stablehlo.token) {
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<3xf32>>) -> tensor<i32>
  %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<3xf32>>) -> tensor<3xf32>
  %2 = stablehlo.negate %1 : tensor<3xf32>
  %3:3 = stablehlo.optimization_barrier %2, %0, %k : tensor<3xf32>, tensor<i32>, !stablehlo.token
  %4 = stablehlo.tuple %3#0, %3#1 : tuple<tensor<3xf32>, tensor<i32>>
  return %4, %3#2 : tuple<tensor<3xf32>, tensor<i32>>, !stablehlo.token
}
}"""}
# Shardy's, on one device; VHLO has none of it.
placed = '''module @placed {
sdy.mesh @mesh = <["x"=1, "y"=1]>
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<4x2xf32>
  %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>
  %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<4x2xf32>
  %3 = sdy.all_to_all [{"y"}: 1->0] %2 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x2xf32>
  %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x2xf32>
  %5 = sdy.reshard %4 <mesh<[]>, [{}, {}]> : tensor<4x2xf32>
  %6 = sdy.propagation_barrier %5 allowed_direction=NONE : tensor<4x2xf32>
  %7 = sdy.manual_computation(%6) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<4x2xf32>) {
    %8 = sdy.named_computation<"wave">(%a) (%b: tensor<4x2xf32>) {
      %9 = stablehlo.sine %b : tensor<4x2xf32>
      sdy.return %9 : tensor<4x2xf32>
    } : (tensor<4x2xf32>) -> tensor<4x2xf32>
    sdy.return %8 : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %8 = sdy.sharded_to_unreduced [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<4x2xf32>
  %9 = sdy.replicated_to_unreduced {"y"} %8 out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<4x2xf32>
  %10 = sdy.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %cosines = stablehlo.cosine %10 : tensor<4x2xf32>
  %11 = sdy.data_flow_edge %cosines sharding=<@mesh, [{"x", ?}, {?}p1], replicated={"y"}> : tensor<4x2xf32>
  %sines = func.call @sines(%11) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %12 = sdy.func_data_flow_edge %sines : tensor<4x2xf32>
  sdy.sharding_group %12 group_id=3 : tensor<4x2xf32>
  %13 = stablehlo.add %7, %9 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>,
    sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=2}, custom>} : tensor<4x2xf32>
  %14 = stablehlo.multiply %13, %12 : tensor<4x2xf32>
  return %14 : tensor<4x2xf32>
}
func.func private @sines(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.sine %x : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
}'''

# Elements that stand apart, of which VHLO has none, and each narrow type of floats.
narrow = 'f8E5M2 f8E4M3 f8E4M3FN f8E5M2FNUZ f8E4M3FNUZ f8E4M3B11FNUZ f8E3M4 f4E2M1FN f6E2M3FN f6E3M2FN f8E8M0FNU'.split()
parameters = 'module @parameters {\nfunc.func @main(' + ', '.join(f'%{t}: tensor<2x{t}>' for t in narrow) + ''') -> (tensor<2xf32>, tensor<2xi64>, tensor<3xi1>) {
  %0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<order> : tensor<2xi64>
  %2 = stablehlo.constant dense_resource<mask> : tensor<3xi1>
''' + ''.join(f'''  %wide_{t} = stablehlo.convert %{t} : (tensor<2x{t}>) -> tensor<2xf32>
  %sum_{t} = stablehlo.add %{f"sum_{narrow[i - 1]}" if i else "0"}, %wide_{t} : tensor<2xf32>
''' for i, t in enumerate(narrow)) + f'''  return %sum_{narrow[-1]}, %1, %2 : tensor<2xf32>, tensor<2xi64>, tensor<3xi1>
}}
}}
{{-#
  dialect_resources: {{
    builtin: {{
      mask: "0x01000000010001",
      order: "0x0800000001000000000000000200000000000000",
      weights: "0x040000000000803F00000040"
    }}
  }}
#-}}
'''


def write_plain(path, text, context):
    module = ir.Module.parse(text, context)
    with open(here / f'{path}.plain.mlirbc', 'wb') as file:
        module.operation.write_bytecode(file)
    return module


def write(name, text, context):
    module = write_plain(name, text, context)
    (here / f'{name}.mlir').write_text(str(module))
    for version in '0.9.0', '1.17.0':
        (here / f'{name}.{version}.mlirbc').write_bytes(stablehlo.serialize_portable_artifact(module, version, True))


with mlir.make_ir_context() as context, ir.Location.unknown():
    for name, text in texts.items():
        write(name, text, context)
    (here / 'placed.mlir').write_text(str(write_plain('placed', placed, context)))
    (here / 'parameters.mlir').write_text(str(write_plain('parameters', parameters, context)))
    write_plain('refused/placed_apart', placed.replace('"y"=1', '"y"=2'), context)
for name, (f, args) in programs.items():
    # other platforms have StableHLO's factorizations and JAX's names, the CPU has LAPACK's
    exported = export.export(jax.jit(f), platforms=['tpu' if name == 'factors' else 'cpu'])(*args)
    with mlir.make_ir_context() as context:
        write(name, exported.mlir_module(), context)
    (here / f'{name}.exported.mlirbc').write_bytes(exported.mlir_module_serialized)
