"""The cases of cases_transform.c in JAX and, the transforms, in NumPy."""
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax

rng = np.random.RandomState(0)
unit = lambda *s: np.asarray(rng.rand(*s), np.float32)
centred = lambda *s: unit(*s) - np.float32(0.5)
points = lambda *s: centred(*s, 2).view(np.complex64)[..., 0]


def conv(stride=1, pad="SAME", groups=1, layout=("NHWC", "HWIO", "NHWC")):
    return lambda x, w: lax.conv_general_dilated(x, w, (stride, stride), pad, dimension_numbers=layout, feature_group_count=groups)


def both(name, image, weights, f):
    """with one image, and with 16"""
    return {f"conv_{name}_{n}": (lambda n=n: [unit(n, *image), centred(*weights)], f, None) for n in (1, 16)}


CASES = {
    **{f"fft_{name}": (lambda n=n: [points(n)], jnp.fft.fft, np.fft.fft) for name, n in {"1024": 1024, "1000": 1000, "1009": 1009, "64k": 65536}.items()},
    **{f"fft_{n}x{m}": (lambda n=n, m=m: [points(n, m)], jax.vmap(jnp.fft.fft), np.fft.fft) for n, m in ((1000, 256), (256, 1000))},
    "fft_512x512": (lambda: [points(512, 512)], jnp.fft.fft2, np.fft.fft2),
    **both("3x3", (56, 56, 64), (3, 3, 64, 64), conv()),
    **both("7x7", (224, 224, 3), (7, 7, 3, 64), conv(2, ((3, 3), (3, 3)))),
    **both("depthwise", (56, 56, 64), (3, 3, 1, 64), conv(groups=64)),
    "conv_up_1": (lambda: [unit(1, 28, 28, 64), centred(4, 4, 64, 64)], lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), None),
    **both("1x1", (56, 56, 256), (1, 1, 256, 64), conv()),
    **both("nchw", (64, 56, 56), (64, 64, 3, 3), conv(layout=("NCHW", "OIHW", "NCHW"))),
}
