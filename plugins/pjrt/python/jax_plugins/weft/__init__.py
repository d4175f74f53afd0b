"""weft as a platform of JAX: JAX_PLATFORMS=weft, or jax.jit(f, backend="weft").

JAX finds this package by its entry point and calls initialize(). Its priority is below the CPU's, so that
installing it changes nothing until it is asked for.
"""
import copy
import functools
import os

from . import callbacks

# Primitives whose rules for a CPU weft takes: calls of LAPACK's functions, which are ops of its own, and of Python's.
AS_ON_A_CPU = """lu geqrf householder_product ormqr eigh eig schur hessenberg svd tridiagonal_solve
debug_callback debug_print check spsolve""".split()


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
    rules["cpu"] = CpuRules(rules["cpu"], rules["weft"])
    register_factors(mlir)
    callbacks.register(mlir, library)
    count_costs()


class CpuRules(dict):
    """JAX's rules for a CPU, of which weft takes some, those too that come with a module that is imported later."""

    def __init__(self, rules, of_weft):
        self.of_weft = of_weft
        for primitive, rule in rules.items():
            self[primitive] = rule

    def __setitem__(self, primitive, rule):
        super().__setitem__(primitive, rule)
        if primitive.name in AS_ON_A_CPU:
            self.of_weft.setdefault(primitive, rule)


def register_factors(mlir):
    from jax._src.lax import linalg

    from . import factors

    for name in "tridiagonal", "geqp3":
        primitive = getattr(linalg, name + "_p", None)  # an older JAX may not have it
        if primitive is not None:
            mlir.register_lowering(primitive, mlir.lower_fun(getattr(factors, name)), platform="weft")


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
