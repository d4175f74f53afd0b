#!/usr/bin/env python3
"""Writes fft.txt: inputs and what NumPy computes from them, in f64, in the form of ops.txt (make_ops_data.py).

Run with numpy installed: python3 make_fft_data.py > fft.txt. The C side of each case is the row of the same name in tests/ops/test_ops_fft.c."""
import numpy as np
from data_lines import emit

rng = np.random.default_rng(23)
x, z = rng.standard_normal((3, 4, 10)), rng.standard_normal((3, 4, 6)) + 1j * rng.standard_normal((3, 4, 6))
I = {
    "x": x, "z": z, "x32": x.astype(np.float32), "z32": z.astype(np.complex64), "ints": np.arange(7, dtype=np.int32) ** 2,
    "prime": rng.standard_normal(37) + 1j * rng.standard_normal(37), "one": np.array([2.5]), "four": rng.standard_normal((2, 3, 2, 4)), "none": np.zeros((0, 4)),
}
c64, f32 = np.complex64, np.float32
g = dict(I, np=np, f=np.fft, c64=c64, f32=f32)
R = dict(
    fft="f.fft(z)", fft_axis="f.fft(z, axis=0)", fft_real="f.fft(x)", fft_f32="f.fft(x32).astype(c64)", fft_c64="f.fft(z32).astype(c64)", fft_ints="f.fft(ints).astype(c64)",
    fft_cut="f.fft(z, 4)", fft_longer="f.fft(z, 9, 1)", fft_prime="f.fft(prime)", fft_one="f.fft(one)", fft_none="f.fft(none)",
    fft_ortho="f.fft(z, norm='ortho')", fft_forward="f.fft(z, norm='forward')", fft_backward="f.fft(z, norm='backward')",
    ifft="f.ifft(z)", ifft_axis="f.ifft(z, axis=1)", ifft_ortho="f.ifft(z, norm='ortho')", ifft_forward="f.ifft(z, norm='forward')", ifft_longer="f.ifft(z, 8)",
    rfft="f.rfft(x)", rfft_axis="f.rfft(x, axis=0)", rfft_cut="f.rfft(x, 7)", rfft_longer="f.rfft(x, 16)", rfft_f32="f.rfft(x32).astype(c64)", rfft_ints="f.rfft(ints).astype(c64)",
    rfft_ortho="f.rfft(x, norm='ortho')", rfft_one="f.rfft(one)",
    irfft="f.irfft(z)", irfft_odd="f.irfft(z, 11)", irfft_cut="f.irfft(z, 4)", irfft_longer="f.irfft(z, 15)", irfft_axis="f.irfft(z, axis=1)", irfft_real="f.irfft(x)",
    irfft_f32="f.irfft(z32).astype(f32)", irfft_ortho="f.irfft(z, norm='ortho')", irfft_forward="f.irfft(z, norm='forward')",
    fftn="f.fftn(z)", fftn_axes="f.fftn(z, axes=(2, 0))", fftn_four="f.fftn(four)", fftn_ortho="f.fftn(z, norm='ortho')", fftn_no_axes="z",
    ifftn="f.ifftn(z)", ifftn_four="f.ifftn(four, norm='forward')", rfftn="f.rfftn(x)", rfftn_axes="f.rfftn(x, axes=(1, 0))", rfftn_four="f.rfftn(four)",
    irfftn="f.irfftn(z)", irfftn_axes="f.irfftn(z, axes=(2, 1))", irfftn_odd="f.irfftn(z, (4, 5), axes=(1, 2))", irfftn_four="f.irfftn(four, (2, 3, 2, 7), axes=(0, 1, 2, 3))",
    fft2="f.fft2(z)", fft2_axes="f.fft2(z, axes=(0, 1), norm='ortho')", ifft2="f.ifft2(z)", ifft2_forward="f.ifft2(z, norm='forward')", rfft2="f.rfft2(x)", irfft2="f.irfft2(z)", irfft2_odd="f.irfft2(z, (4, 9))",
    freq_as="f.fftfreq(9, 0.25)", rfreq_as="f.rfftfreq(8, 2)",
    freq="f.fftfreq(9, 0.25).astype(f32)", freq_even="f.fftfreq(8, 2).astype(f32)", freq_1="f.fftfreq(1).astype(f32)", freq_2="f.fftfreq(2).astype(f32)",
    rfreq="f.rfftfreq(9, 0.25).astype(f32)", rfreq_even="f.rfftfreq(8, 2).astype(f32)",
    shift="f.fftshift(x)", shift_axis="f.fftshift(x, 0)", shift_back="f.ifftshift(x)", shift_back_axes="f.ifftshift(z, (-1, 0))", shift_none="f.fftshift(none)",
)
SLIDES = {"": "prime, z[0, 0]", "_even": "x[0, 0], x[1, 1, :4]", "_short": "x[0, 0, :3], prime", "_short_even": "x[0, 0, :4], x[1, 1]", "_ints": "ints, ints[2:5]"}
for op in "convolve", "correlate":
    for name, pair in SLIDES.items():
        for mode in "full", "same", "valid":
            R[f"{op}{name}_{mode}"] = f"np.{op}({pair}, '{mode}')"
for name, value in I.items():
    emit("+ " + name, value)
for name, text in R.items():
    emit("= " + name, eval(text, g))
