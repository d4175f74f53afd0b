#!/usr/bin/env python3
"""Writes optim.txt: what optax makes of three numbers and their gradients in six steps, in f64; and values of its schedules. One case a line: name and numbers.

Run with jax 0.10.2 and optax installed: python3 make_optim_data.py > optim.txt. The C side of each line is the row of the same name in tests/ops/test_optim.c.
"""
import jax
import jax.numpy as jnp
import optax

jax.config.update("jax_enable_x64", True)
START = jnp.array([1.0, -2.0, 0.5])
STEPS = 6


def gradient(p, k):
    """A function of the parameters, so that an error in one step is seen in all that follow."""
    return jnp.sin(p * (k + 1)) + jnp.array([0.1, -3.0, 0.0])


def train(optimizer):
    p, s, out = START, optimizer.init(START), []
    for k in range(STEPS):
        u, s = optimizer.update(gradient(p, k), s, p)
        p = optax.apply_updates(p, u)
        out.extend(p.tolist())
    return out


cosine = optax.warmup_cosine_decay_schedule(0.01, 0.2, 3, 10, 0.02)
CASES = dict(
    sgd=optax.sgd(0.1), momentum=optax.sgd(0.1, momentum=0.9), nesterov=optax.sgd(0.1, momentum=0.9, nesterov=True),
    adam=optax.adam(0.05), adam_b=optax.adam(0.05, b1=0.5, b2=0.9, eps=1e-3, eps_root=1e-4), nadam=optax.adam(0.05, nesterov=True),
    adamw=optax.adamw(0.05, weight_decay=0.1), adamw_default=optax.adamw(0.05), adam_cosine=optax.adam(cosine),
    clip=optax.chain(optax.clip(0.5), optax.sgd(0.1)), clip_norm=optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.05)),
    clip_both=optax.chain(optax.clip(0.7), optax.clip_by_global_norm(0.9), optax.sgd(0.1)), clip_not=optax.chain(optax.clip_by_global_norm(100.0), optax.sgd(0.1)),
)
AT = jnp.arange(0, 24)
SCHEDULES = dict(
    s_constant=optax.constant_schedule(0.3), s_linear=optax.linear_schedule(1.0, 0.25, 10, 4), s_exponential=optax.exponential_decay(0.5, 5, 0.8),
    s_staircase=optax.exponential_decay(0.5, 5, 0.8, 3, True), s_bounded=optax.exponential_decay(0.5, 2, 0.8, end_value=0.1), s_growing=optax.exponential_decay(0.5, 2, 1.3, end_value=2.0),
    s_cosine=optax.cosine_decay_schedule(0.4, 15), s_cosine_end=optax.cosine_decay_schedule(0.4, 15, 0.25, 1.5), s_warmup=optax.warmup_cosine_decay_schedule(0.01, 0.2, 5, 20, 0.02),
    s_piecewise=optax.piecewise_constant_schedule(1.0, {3: 0.5, 10: 0.1, 11: 3.0}),
)
for name, optimizer in CASES.items():
    print(name, *[f"{v:.17g}" for v in train(optimizer)])
for name, f in SCHEDULES.items():
    print(name, *[f"{float(f(k)):.17g}" for k in AT])
