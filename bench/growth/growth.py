"""What compiling takes as programs grow: kinds of programs (kinds.py), each in a few sizes, through weft-dump.

    python3 bench/growth/growth.py [--peers] [--quick] [--svg FILE] [--build DIR] [KIND...]

The columns: the sizes; the milliseconds and megabytes (the process's peak) of the largest; how the time grows from
size to size, in all and in the stages that matter: time ~ size^k, by the least squares of the logarithms. --peers:
XLA on the same StableHLO, derivatives taken by weft, and NumPy on the forward program, which compiles nothing: what
one call takes; nan: XLA failed, or took too long for a smaller one. Times are the least of three runs (XLA: one), for
which the machine should be quiet. --quick: a tenth of the sizes. The SVG shows time against size.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time

import kinds

STAGES = "parse", "transforms", "simplify", "fuse", "emit", "codegen", "load"
RUNS = 3
XLA_MOST_MS = 15000     # what took longer is not tried larger
COLORS = "#0b62a4", "#c0392b", "#7f8c8d"        # weft, XLA, NumPy


# ---- weft ----

def run_dump(dump, args):
    """(what it prints, the most memory it had in MB)"""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([dump, *args], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        out.seek(0)
        text = out.read()
    if status:
        sys.exit(f"growth: weft-dump {' '.join(args)} failed")
    return text, usage.ru_maxrss / 1024


def weft_times(dump, path, derivatives):
    """milliseconds by stage and in "all", and "MB"; of each the least of a few runs"""
    least = dict.fromkeys((*STAGES, "MB"), math.inf)
    for _ in range(RUNS):
        text, megabytes = run_dump(dump, [*derivatives, "--jit", "--time=compile", path])
        took = {stage: float(us) / 1e3 for stage, us in re.findall(r"^(\w+) (\d+) us$", text, re.M)} | {"MB": megabytes}
        least = {column: min(least[column], took[column]) for column in least}
    return least | {"all": sum(least[stage] for stage in STAGES)}


# ---- peers ----

XLA = """
import sys, time
import jax
from jax._src.lib import xla_client
devices = tuple(jax.devices("cpu"))
for path in sys.stdin:
    text = open(path.strip()).read()
    start = time.perf_counter()
    devices[0].client.compile_and_load(text, xla_client.DeviceList(devices), xla_client.CompileOptions())
    print(1e3 * (time.perf_counter() - start), flush=True)
"""


class Xla:
    """A process that compiles one file after the other; another one where one has died."""

    def __init__(self, python):
        self.python, self.process = python, None

    def ms(self, path):
        if not self.process:
            self.process = subprocess.Popen([self.python, "-c", XLA], env=os.environ | {"JAX_PLATFORMS": "cpu"},
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(path + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.process = None
        return float(answer) if answer else math.nan


def numpy_ms(function, n):
    """a call, which is all there is"""
    import numpy
    took = []
    for _ in range(RUNS):
        start = time.perf_counter()
        with numpy.errstate(all="ignore"):
            function(kinds.Numpy(numpy), n)
        took.append(1e3 * (time.perf_counter() - start))
    return min(took)


# ---- a sweep ----

def sweep(name, options, xla, folder):
    """[(size, {column: number})]"""
    function, largest, derivatives = kinds.KINDS[name]
    largest //= 10 if options.quick else 1
    dump = os.path.join(options.build, "weft-dump")
    points = []
    for n in (max(largest // 10, 1), round(largest / math.sqrt(10)), largest):
        path = os.path.join(folder, "program.mlir")
        builder = kinds.Text()
        function(builder, n)
        with open(path, "w") as file:
            file.write(builder.program())
        took = weft_times(dump, path, derivatives)
        if xla:
            if derivatives:
                text, _ = run_dump(dump, [*derivatives, "--stage=grad", path])
                with open(path, "w") as file:
                    file.write(text)
            slow = points and not points[-1][1]["xla"] < XLA_MOST_MS
            took["xla"] = math.nan if slow else xla.ms(path)
            took["numpy"] = math.nan if name in kinds.NOT_IN_NUMPY else numpy_ms(function, n)
        points.append((n, took))
    return points


def exponent(points, column):
    """k of time ~ size^k"""
    logs = [(math.log(n), math.log(max(took[column], 1e-3))) for n, took in points if took[column] > 0]
    if len(logs) < 2:
        return math.nan
    x, y = (sum(values) / len(logs) for values in zip(*logs))
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x) ** 2 for a, _ in logs)


def print_row(name, points):
    n, most = points[-1]
    stages = " ".join(f"{s} {exponent(points, s):.2f}" for s in STAGES if most[s] > 0.05 * most["all"])
    row = f"{name:20} {points[0][0]:5}..{n:<6} {most['all']:9.1f} {most['MB']:7.0f} {exponent(points, 'all'):6.2f}"
    if "xla" in most:
        row += f" {most['xla']:9.1f} {exponent(points, 'xla'):6.2f} {most['numpy']:9.1f}"
    print(f"{row}  {stages}", flush=True)


# ---- a picture ----

WIDTH, HEIGHT, ROOM, ACROSS = 230, 150, 34, 4


def chart(name, points, left, top):
    """One kind: time against size, both in logarithms."""
    columns = [c for c in ("all", "xla", "numpy") if c in points[0][1]]
    times = [took[c] for _, took in points for c in columns if took[c] > 0]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(points[0][0]), math.log10(points[-1][0])

    def at(n, ms):
        x = left + (math.log10(n) - first) / (last - first) * (WIDTH - ROOM)
        y = top + HEIGHT - (math.log10(max(ms, 10.0**low)) - low) / (high - low) * (HEIGHT - ROOM)
        return f"{x:.1f},{y:.1f}"

    out = [f'<text x="{left}" y="{top + 18}" font-weight="bold">{name}</text>']
    for decade in range(low, high + 1):
        x, y = at(points[0][0], 10.0**decade).split(",")
        out.append(f'<path d="M{x},{y} h{WIDTH - ROOM}" stroke="#ddd"/><text x="{left - 4}" y="{float(y) + 4}" '
                   f'text-anchor="end">{10.0**decade:g}</text>')
    for n, anchor in (points[0][0], "start"), (points[-1][0], "end"):
        x = left if anchor == "start" else left + WIDTH - ROOM
        out.append(f'<text x="{x}" y="{top + HEIGHT + 14}" text-anchor="{anchor}">{n}</text>')
    for column, color in zip(columns, COLORS):
        line = " ".join(at(n, took[column]) for n, took in points if took[column] > 0)
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
    return "\n".join(out)


def draw(swept, path):
    rows = -(-len(swept) // ACROSS)
    width, height = ACROSS * (WIDTH + 20) + 30, rows * (HEIGHT + 30) + 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           f'font-size="11"><rect width="100%" height="100%" fill="white"/><text x="10" y="18">milliseconds to compile, '
           f'by size: weft blue, XLA red; a call in NumPy gray</text>']
    for i, (name, points) in enumerate(swept):
        out.append(chart(name, points, 44 + i % ACROSS * (WIDTH + 20), 24 + i // ACROSS * (HEIGHT + 30)))
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--svg", metavar="FILE")
    parser.add_argument("--build", metavar="DIR", default="build")
    parser.add_argument("kind", nargs="*", help="of: " + "; ".join(kinds.KINDS))
    options = parser.parse_args()
    for name in options.kind:
        if name not in kinds.KINDS:
            parser.error(f"no kind '{name}'")
    xla = Xla(os.path.join(options.build, "peers/bin/python")) if options.peers else None
    print(f"{'kind':20} {'sizes':>13} {'ms':>9} {'MB':>7} {'k':>6}" +
          (f" {'xla ms':>9} {'k':>6} {'numpy ms':>9}" if xla else "") + "  k by stage")
    swept = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.kind or kinds.KINDS:
            swept.append((name, sweep(name, options, xla, folder)))
            print_row(*swept[-1])
    if options.svg:
        draw(swept, options.svg)


if __name__ == "__main__":
    main()
