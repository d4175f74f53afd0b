"""weft as a platform of JAX: JAX_PLATFORMS=weft, or jax.jit(f, backend="weft").

JAX finds this package by its entry point and calls initialize(). Its priority is below the CPU's, so that
installing it changes nothing until it is asked for.
"""
import copy
import ctypes
import functools
import glob
import os

from . import callbacks

# Primitives whose rules for a CPU weft takes, not those for all platforms: calls of LAPACK, ops of its own here.
AS_ON_A_CPU = "lu geqrf householder_product ormqr svd tridiagonal_solve".split()


def initialize():
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir
    import jax._src.lax.linalg  # noqa: F401 (makes the rules)

    # Before, asin, erf, top_k and their like came as calls of XLA's own (custom_call @mhlo.erf).
    if jax.__version_info__ < (0, 9, 1):
        raise RuntimeError(f"weft needs jax 0.9.1 or later; this is {jax.__version__}")
    here = os.path.dirname(os.path.abspath(__file__))
    library = os.environ.get("WEFT_PJRT", os.path.join(here, "libweft-pjrt.so"))
    getattr(xla_bridge, "_nonexperimental_plugins", set()).add("weft")  # no warning where it is not used
    xla_bridge.register_plugin("weft", priority=-100, library_path=library, options=None)
    # Donated arguments are honoured; JAX drops donate_argnums for platforms that are not listed.
    if "weft" not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append("weft")
    rules = mlir._platform_specific_lowerings
    rules["weft"] = Rules(rules["weft"], rules["cpu"], mlir._lowerings)
    register_factors(mlir)
    show_lapack()
    callbacks.register(mlir, library)
    count_costs()
    drop_shardings(mlir)
    take_branches_for_a_cpu(mlir)


class Rules(dict):
    """weft's own rules, and those for a CPU that it takes, also of a module that is imported later: AS_ON_A_CPU, and
    whatever has no rule for all platforms."""

    def __init__(self, own, cpu, common):
        super().__init__(own)
        self.cpu, self.common = cpu, common

    def __contains__(self, primitive):
        taken = primitive.name in AS_ON_A_CPU or primitive not in self.common
        return super().__contains__(primitive) or (taken and primitive in self.cpu)

    def __missing__(self, primitive):
        return self.cpu[primitive]


def register_factors(mlir):
    from jax._src.lax import linalg

    from . import factors

    for name in "tridiagonal", "geqp3":
        primitive = getattr(linalg, name + "_p", None)  # an older JAX may not have it
        if primitive is not None:
            mlir.register_lowering(primitive, mlir.lower_fun(getattr(factors, name)), platform="weft")


def show_lapack():
    """The LAPACK that SciPy brings, which JAX calls on a CPU: weft takes it before the system's where it can see it."""
    import scipy

    for library in glob.glob(glob.escape(scipy.__path__[0]) + ".libs/libscipy_openblas-*"):
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL)


def take_branches_for_a_cpu(mlir):
    """lax.platform_dependent: where no branch is for weft or for all platforms, the one for a CPU is weft's."""
    from jax._src.lax.control_flow import conditionals

    def with_weft(platforms):
        if platforms is None or any(p is None or "weft" in p for p in platforms):
            return platforms
        return tuple((*p, "weft") if "cpu" in p else p for p in platforms)

    def index(ctx, *, platforms):
        return conditionals._platform_index_lowering(ctx, platforms=with_weft(platforms))

    def branches(ctx, *args, branches_platforms=None, **how):
        return conditionals._cond_lowering(ctx, *args, branches_platforms=with_weft(branches_platforms), **how)

    mlir.register_lowering(conditionals.platform_index_p, index, platform="weft")
    mlir.register_lowering(conditionals.cond_p, branches, platform="weft")


def drop_shardings(mlir):
    """A sharding that splits no dimension says nothing to one device, and HLO, in which jaxlib writes what
    compiled.as_text() says, has no words for it."""
    theirs = mlir.wrap_with_sharding_op

    def wrap_with_sharding_op(ctx, value, aval, sharding, *args, **how):
        alone = tuple(ctx.module_context.platforms) == ("weft",)
        splits = any(dim.axes for dim in getattr(sharding, "dim_shardings", ()))
        return value if alone and not splits else theirs(ctx, value, aval, sharding, *args, **how)

    mlir.wrap_with_sharding_op = wrap_with_sharding_op


def count_costs():
    """jax.jit(f).lower(x).cost_analysis(): JAX counts in programs before they are compiled, but only for its own
    clients; what it counts is of no client."""
    from jax._src.interpreters import pxla

    theirs = pxla.MeshComputation.cost_analysis

    def cost_analysis(self):
        if self.compile_args["backend"].platform == "weft":
            self = copy.copy(self)
            self.compile_args = {**self.compile_args, "backend": cpu_client()}
        return theirs(self)

    pxla.MeshComputation.cost_analysis = cost_analysis


@functools.cache
def cpu_client():
    from jax._src import xla_bridge
    from jax._src.lib import xla_client

    try:
        return xla_bridge.get_backend("cpu")
    except RuntimeError:  # JAX_PLATFORMS=weft
        return xla_client.make_cpu_client()
