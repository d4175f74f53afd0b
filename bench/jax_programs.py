"""Whole programs of JAX's users, start to end, on weft and on XLA's CPU: what docs/jax.md shows.

    env/bin/pip install flax optax numpyro blackjax        env has the wheel that ./dev wheel makes
    env/bin/python bench/jax_programs.py [--rounds=N] [--cores=N] [NAME...]

Each run is a process of its own, on one core by default; the time is from the first array to the last result,
compiling included, imports not. A program returns numbers that both platforms must agree on, each with what
may lie between: for samplers, which part ways after some steps, that is their noise.
"""
import json
import math
import os
import subprocess
import sys
import time

PROGRAMS = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


# ---- numpyro: posteriors by NUTS, and by variational inference ----


def nuts(model, *data, warmup=300, draws=500, **more):
    import jax
    from numpyro.infer import MCMC, NUTS

    mcmc = MCMC(NUTS(model), num_warmup=warmup, num_samples=draws, num_chains=1, progress_bar=False)
    mcmc.run(jax.random.key(1), *data, **more)
    return mcmc.get_samples()


def summary(draws, names, each=4):
    """Means of the parameters: they may lie 5 standard errors apart, of draws of which one in `each` says
    something new."""
    import numpy as np

    said = {}
    for name in names:
        x = np.asarray(draws[name], np.float64).reshape(len(draws[name]), -1)
        for i in range(min(x.shape[1], 4)):
            error = x[:, i].std() / math.sqrt(len(x) / each)
            said[f"{name}{i}"] = [float(x[:, i].mean()), float(5 * error + 1e-3)]
    return said


@program
def numpyro_logistic():
    """logistic regression of 1,000 points in 10 features by NUTS"""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    def model(x, y):
        w = numpyro.sample("w", dist.Normal(0, 1).expand([x.shape[1]]))
        b = numpyro.sample("b", dist.Normal(0, 2))
        numpyro.sample("y", dist.Bernoulli(logits=x @ w + b), obs=y)

    x = jax.random.normal(jax.random.key(0), (1000, 10))
    chance = jax.nn.sigmoid(x @ jnp.linspace(-1, 1, 10))
    y = (jax.random.uniform(jax.random.key(2), (1000,)) < chance).astype("float32")
    return summary(nuts(model, x, y), ["w", "b"])


@program
def numpyro_schools():
    """eight schools, not centred, by NUTS"""
    import numpy as np
    import numpyro
    import numpyro.distributions as dist

    effect = np.array([28, 8, -3, 7, -1, 1, 18, 12], np.float32)
    error = np.array([15, 10, 16, 11, 9, 11, 10, 18], np.float32)

    def model():
        mu = numpyro.sample("mu", dist.Normal(0, 5))
        tau = numpyro.sample("tau", dist.HalfCauchy(5))
        with numpyro.plate("school", 8):
            theta = numpyro.sample("theta", dist.Normal(0, 1))
            numpyro.sample("effect", dist.Normal(mu + tau * theta, error), obs=effect)

    return summary(nuts(model, warmup=500, draws=1500), ["mu", "theta"])


@program
def numpyro_volatility():
    """stochastic volatility of 300 days by NUTS"""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    def model(returns):
        step = numpyro.sample("step", dist.Exponential(20.0))
        walk = numpyro.sample("walk", dist.GaussianRandomWalk(step, num_steps=len(returns)))
        nu = numpyro.sample("nu", dist.Exponential(0.1))
        numpyro.sample("r", dist.StudentT(nu, 0.0, jnp.exp(walk)), obs=returns)

    noise = jax.random.normal(jax.random.key(0), (2, 300))
    returns = noise[0] * jnp.exp(jnp.cumsum(0.1 * noise[1]))
    return summary(nuts(model, returns, warmup=200, draws=300), ["step"], each=20)


@program
def numpyro_poisson():
    """counts in 20 groups, a hierarchical Poisson regression, by NUTS"""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    def model(group, x, count):
        mu = numpyro.sample("mu", dist.Normal(0, 1))
        sigma = numpyro.sample("sigma", dist.HalfNormal(1))
        slope = numpyro.sample("slope", dist.Normal(0, 1))
        with numpyro.plate("groups", 20):
            level = numpyro.sample("level", dist.Normal(0, 1))
        numpyro.sample("count", dist.Poisson(jnp.exp(mu + sigma * level[group] + slope * x)), obs=count)

    group = jnp.arange(600) % 20
    x = jax.random.normal(jax.random.key(0), (600,))
    count = jax.random.poisson(jax.random.key(3), jnp.exp(0.5 + 0.05 * group + 0.3 * x), shape=(600,))
    return summary(nuts(model, group, x, count), ["mu", "slope"])


@program
def numpyro_network():
    """a Bayesian network of 2 x 16 units by variational inference, 5,000 steps"""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import SVI, Trace_ELBO
    from numpyro.infer.autoguide import AutoNormal

    def model(x, y):
        w1 = numpyro.sample("w1", dist.Normal(0, 1).expand([3, 16]).to_event(2))
        w2 = numpyro.sample("w2", dist.Normal(0, 1).expand([16, 16]).to_event(2))
        w3 = numpyro.sample("w3", dist.Normal(0, 1).expand([16]).to_event(1))
        sigma = numpyro.sample("sigma", dist.HalfNormal(1))
        numpyro.sample("y", dist.Normal(jnp.tanh(jnp.tanh(x @ w1) @ w2) @ w3, sigma), obs=y)

    x = jax.random.normal(jax.random.key(0), (200, 3))
    y = jnp.sin(x[:, 0]) + 0.5 * x[:, 1] + 0.1 * jax.random.normal(jax.random.key(4), (200,))
    svi = SVI(model, AutoNormal(model), numpyro.optim.Adam(0.005), Trace_ELBO())
    result = svi.run(jax.random.key(5), 5000, x, y, progress_bar=False)
    return {"loss": [float(result.losses[-500:].mean()), 25]}


# ---- blackjax ----


@program
def blackjax_nuts():
    """a robust regression by NUTS, its step and masses adapted"""
    import blackjax
    import jax
    import jax.numpy as jnp

    x = jax.random.normal(jax.random.key(0), (500, 5))
    y = x @ jnp.arange(1.0, 6.0) + jax.random.t(jax.random.key(1), 3.0, (500,))

    def density(p):
        rest = (y - x @ p["w"]) / jnp.exp(p["s"])
        return -jnp.sum(2.5 * jnp.log1p(rest**2 / 4) + p["s"]) - jnp.sum(p["w"] ** 2) / 200 - p["s"] ** 2 / 2

    adapt = blackjax.window_adaptation(blackjax.nuts, density)
    start = {"w": jnp.zeros(5), "s": jnp.array(0.0)}
    (state, parameters), _ = adapt.run(jax.random.key(2), start, num_steps=500)
    step = blackjax.nuts(density, **parameters).step

    @jax.jit
    def sample(state, keys):
        def draw(state, key):
            state, _ = step(key, state)
            return state, state.position

        return jax.lax.scan(draw, state, keys)[1]

    draws = sample(state, jax.random.split(jax.random.key(3), 1000))
    return summary(draws, ["w", "s"])


@program
def blackjax_chains():
    """200 chains of HMC side by side, 1,000 steps"""
    import blackjax
    import jax
    import jax.numpy as jnp

    def density(p):
        return -0.5 * (p[0] ** 2 / 4 + jnp.sum((p[1:] - 0.3 * p[:-1] ** 2) ** 2))

    kernel = blackjax.hmc(density, step_size=0.15, inverse_mass_matrix=jnp.ones(8), num_integration_steps=10)
    states = jax.vmap(kernel.init)(jax.random.normal(jax.random.key(0), (200, 8)))

    @jax.jit
    def sample(states, keys):
        def step(states, key):
            states, _ = jax.vmap(kernel.step)(jax.random.split(key, 200), states)
            return states, states.position

        return jax.lax.scan(step, states, keys)[1]

    draws = sample(states, jax.random.split(jax.random.key(1), 1000))[200:]
    return {"square": [float((draws[..., 0] ** 2).mean()), 0.3], "next": [float(draws[..., 1].mean()), 0.15]}


# ---- flax: networks trained by optax ----


def train(network, loss, batches, *, steps, example, rate=1e-3):
    """Steps of AdamW on batches(step); the mean loss of the last tenth."""
    import jax
    import optax

    variables = network.init(jax.random.key(0), example)
    optimizer = optax.adamw(rate)
    state = optimizer.init(variables)

    @jax.jit
    def step(variables, state, batch):
        value, slope = jax.value_and_grad(loss)(variables, batch)
        change, state = optimizer.update(slope, state, variables)
        return optax.apply_updates(variables, change), state, value

    losses = []
    for i in range(steps):
        variables, state, value = step(variables, state, batches(i))
        losses.append(value)
    last = [float(v) for v in losses[-steps // 10:]]
    return sum(last) / len(last)


def digits():
    """The 8 x 8 digits of examples/data as f32[n, 64] from 0 to 1, and their labels."""
    import numpy as np

    data = np.loadtxt(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../examples/data/digits.csv"),
                      delimiter=",", dtype=np.float32)
    return data[:, :64] / 16, data[:, 64].astype(np.int32)


@program
def flax_classifier():
    """digits by a perceptron of 256-256, 1,500 steps of 128"""
    import flax.linen as nn
    import optax

    class Classifier(nn.Module):
        @nn.compact
        def __call__(self, x):
            for _ in range(2):
                x = nn.relu(nn.LayerNorm()(nn.Dense(256)(x)))
            return nn.Dense(10)(x)

    image, label = digits()
    net = Classifier()

    def loss(variables, batch):
        logits = net.apply(variables, batch[0])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()

    def batches(i):
        at = slice(i * 128 % 1664, i * 128 % 1664 + 128)
        return image[at], label[at]

    return {"loss": [train(net, loss, batches, steps=1500, example=image[:1]), 0.01]}


@program
def flax_vae():
    """a variational autoencoder of digits, 1,500 steps of 128"""
    import flax.linen as nn
    import jax
    import jax.numpy as jnp
    import optax

    class Vae(nn.Module):
        @nn.compact
        def __call__(self, x, key=None):
            h = nn.relu(nn.Dense(128)(x))
            mean, spread = nn.Dense(8)(h), nn.Dense(8)(h)
            z = mean if key is None else mean + jnp.exp(spread / 2) * jax.random.normal(key, mean.shape)
            return nn.Dense(64)(nn.relu(nn.Dense(128)(z))), mean, spread

    image, _ = digits()
    net = Vae()

    def loss(variables, batch):
        image, key = batch
        logits, mean, spread = net.apply(variables, image, key)
        wrong = optax.sigmoid_binary_cross_entropy(logits, image).sum(-1)
        return (wrong - 0.5 * (1 + spread - mean**2 - jnp.exp(spread)).sum(-1)).mean()

    keys = jax.random.split(jax.random.key(6), 1500)

    def batches(i):
        return image[i * 128 % 1664: i * 128 % 1664 + 128], keys[i]

    return {"loss": [train(net, loss, batches, steps=1500, example=image[:1]), 0.3]}


@program
def flax_transformer():
    """two blocks of a transformer that reverses words of 16 letters, 250 steps of 32"""
    import flax.linen as nn
    import numpy as np
    import jax.numpy as jnp
    import optax

    class Transformer(nn.Module):
        @nn.compact
        def __call__(self, word):
            x = nn.Embed(27, 64)(word) + nn.Embed(32, 64)(jnp.arange(word.shape[-1]))
            mask = nn.make_causal_mask(word)
            for _ in range(2):
                x += nn.SelfAttention(4)(nn.LayerNorm()(x), mask)
                x += nn.Dense(64)(nn.gelu(nn.Dense(256)(nn.LayerNorm()(x))))
            return nn.Dense(27)(nn.LayerNorm()(x))

    letters = np.random.default_rng(0).integers(1, 27, (250, 32, 16)).astype(np.int32)
    words = np.concatenate([letters, letters[:, :, ::-1]], -1)
    net = Transformer()

    def loss(variables, word):
        logits = net.apply(variables, word[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits[:, 15:], word[:, 16:]).mean()

    example = words[0, :, :-1]
    return {"loss": [train(net, loss, lambda i: words[i], steps=250, example=example, rate=3e-3), 0.1]}


@program
def flax_lstm():
    """an LSTM of 64 that adds up marked numbers in rows of 50, 500 steps of 64"""
    import flax.linen as nn
    import numpy as np

    class Adder(nn.Module):
        @nn.compact
        def __call__(self, x):
            cell = nn.OptimizedLSTMCell(64, recurrent_kernel_init=nn.initializers.lecun_normal())
            return nn.Dense(1)(nn.RNN(cell)(x)[:, -1])[:, 0]

    random = np.random.default_rng(0)
    x = random.random((500, 64, 50, 2)).astype(np.float32)
    x[..., 1] = 0
    for mark in random.integers(0, 25, (500, 64)), random.integers(25, 50, (500, 64)):
        np.put_along_axis(x[..., 1], mark[..., None], 1, -1)
    y = (x[..., 0] * x[..., 1]).sum(-1)
    net = Adder()

    def loss(variables, batch):
        return ((net.apply(variables, batch[0]) - batch[1]) ** 2).mean()

    return {"loss": [train(net, loss, lambda i: (x[i], y[i]), steps=500, example=x[0]), 0.02]}


# ---- running them ----


def run_one(name):
    """In a process of its own: the time and the numbers."""
    import jax
    import numpy  # noqa: F401
    if name.startswith("numpyro"):
        import numpyro  # noqa: F401
        import numpyro.infer.autoguide  # noqa: F401
    elif name.startswith("blackjax"):
        import blackjax  # noqa: F401
    else:
        import flax.linen  # noqa: F401
        import optax  # noqa: F401
    jax.devices()
    start = time.perf_counter()
    said = PROGRAMS[name]()
    print(json.dumps({"seconds": time.perf_counter() - start, "said": said}))


def measure(name, platform, cores):
    env = dict(os.environ, JAX_PLATFORMS=platform, WEFT_THREADS=str(cores))
    if cores == 1:
        env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    mine = sorted(os.sched_getaffinity(0))[-cores:]
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--one", name], env=env, text=True,
                          capture_output=True, preexec_fn=lambda: os.sched_setaffinity(0, mine))
    if done.returncode:
        sys.exit(f"{name} on {platform}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(name, rounds, cores):
    """Taking turns; the least time of each. Prints a row; the ratio, and how many numbers differ too much."""
    runs = [(measure(name, "weft", cores), measure(name, "cpu", cores)) for _ in range(rounds)]
    ours, theirs = (min(r[i]["seconds"] for r in runs) for i in (0, 1))
    wrong = []
    for key, (a, room) in runs[0][0]["said"].items():
        b, its_room = runs[0][1]["said"][key]
        if not abs(a - b) <= max(room, its_room):
            wrong.append(f"{key}: {a} and {b}")
    what = f"{name.split('_')[0]}: {PROGRAMS[name].__doc__}"
    print(f"| {what} | {ours:.1f} s | {theirs:.1f} s | {theirs / ours:.1f} |", flush=True)
    for line in wrong:
        print(f"  {name} differs: {line}")
    return theirs / ours, len(wrong)


def main():
    options = {k: int(v) for k, v in (a[2:].split("=") for a in sys.argv[1:] if a.startswith("--"))}
    names = [a for a in sys.argv[1:] if not a.startswith("--")] or list(PROGRAMS)
    print("| | weft | XLA's CPU | times faster |\n|---|---|---|---|")
    ratios, wrong = zip(*(compare(n, options.get("rounds", 1), options.get("cores", 1)) for n in names))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f}, {sum(wrong)} numbers differ")
    sys.exit(any(wrong))


if __name__ == "__main__":
    run_one(sys.argv[2]) if sys.argv[1:2] == ["--one"] else main()
