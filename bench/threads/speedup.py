"""How much faster programs are on several threads: measured as far as this machine has cores, and beyond that a model.

    python3 bench/threads/speedup.py [--svg FILE] [--build DIR]

Measured: weft-bench --threads N, one thread and N in the same run, for each N up to the machine's cores. The model has three constants, all measured here: what a parallel loop costs beyond its
pieces (weft-regions), taken to grow with each further thread by as much as with the second; what all cores together copy, which is the most that more of them get, too; and a case's time on one
thread, of which each thread has as many pieces as the busiest one. It knows nothing of caches that grow with the cores, of clocks that fall, or of hyperthreads.
"""
import argparse
import json
import math
import os
import re
import subprocess
import tempfile

THREADS = [1, 2, 4, 8, 16, 32, 64]
# name: (parallel loops of a call, pieces of each, megabytes that go to memory and back if caches do not hold them)
CASES = {"black_scholes_1M": (1, 256, 16), "matmul_1024": (1, 128, 12), "softmax_4096x1000": (1, 256, 33), "gelu_grad_1M": (1, 136, 8),
         "transpose_add_2048": (1, 256, 34), "jacobi_1d": (200, 4, 0)}
COLORS = ["#0b62a4", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#34495e"]


def bench(build, threads):
    """({case: (us on one thread, us on all)}, GB/s that all of them copy)"""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        text = subprocess.run([f"{build}/weft-bench", "--threads", str(threads), "--repeats", "9", "--json", file.name, *CASES], check=True, capture_output=True, text=True).stdout
        us = {(row["case"], row["impl"]): row["run_us"] for row in json.load(file)}
    copied = re.search(r"memory (\d+), (\d+), (\d+)", text).groups()
    return {case: (us[case, "one"], us[case, "weft"]) for case in CASES}, float(max(copied[1:], key=float))


def loop_us(build, threads):
    text = subprocess.run([f"{build}/weft-regions", str(threads)], check=True, capture_output=True, text=True).stdout
    return json.loads(text.splitlines()[0])["awake_us"]


def model(case, one_us, loop, gigabytes, threads):
    loops, pieces, megabytes = CASES[case]
    threads = min(threads, pieces)
    if threads == 1:
        return 1
    return one_us / (max(one_us * -(-pieces // threads) / pieces, megabytes * 1e3 / gigabytes) + loops * loop * (threads - 1))


# ---- the picture ----

def x(threads):
    return 60 + 90 * (threads.bit_length() - 1)


def y(times):
    return 380 - 56 * math.log2(max(times, 0.5))


def line(points, color):
    at = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    return f'<polyline points="{at}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="5 4"/>'


def picture(measured, modelled, cores):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 440" font-family="sans-serif" font-size="13">', '<rect width="860" height="440" fill="white"/>']
    for n in THREADS:
        out.append(f'<line x1="{x(n)}" y1="30" x2="{x(n)}" y2="380" stroke="#eee"/><text x="{x(n)}" y="400" text-anchor="middle">{n}</text>')
        out.append(f'<line x1="60" y1="{y(n)}" x2="{x(64)}" y2="{y(n)}" stroke="#eee"/><text x="52" y="{y(n) + 4}" text-anchor="end">{n}</text>')
    out.append(f'<text x="{x(8)}" y="425" text-anchor="middle">threads</text>')
    out.append(f'<text x="60" y="20">times as fast as one thread: measured to {cores} threads (dots), beyond a model (dashed)</text>')
    ends = sorted(CASES, key=lambda case: -modelled[case][THREADS[-1]])
    for k, (case, color) in enumerate(zip(ends, COLORS)):
        out.append(line([(x(n), y(modelled[case][n])) for n in THREADS], color))
        out += [f'<circle cx="{x(n)}" cy="{y(t):.1f}" r="4" fill="{color}"/>' for n, t in measured[case].items() if n in THREADS]
        out.append(f'<text x="{x(64) + 12}" y="{60 + 20 * k}" fill="{color}">{case}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg", help="a file for the picture")
    parser.add_argument("--build", default="build")
    o = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        parser.exit(2, "speedup: this needs two cores\n")
    measured = {case: {1: 1.0} for case in CASES}
    for n in range(2, cores + 1):
        times, gigabytes = bench(o.build, n)
        for case, (one, all_of_them) in times.items():
            measured[case][n] = one / all_of_them
    loop = loop_us(o.build, 2)
    modelled = {case: {n: model(case, times[case][0], loop, gigabytes, n) for n in THREADS} for case in CASES}
    print(f"a parallel loop: {loop:.2f} us beyond its pieces; {cores} threads copy {gigabytes:.0f} GB/s")
    print(f"{'case':20} {'one thread':>12}  " + " ".join(f"{n:>6}" for n in THREADS) + f"   (measured to {cores}, then the model)")
    for case in CASES:
        row = [measured[case].get(n, modelled[case][n]) for n in THREADS]
        print(f"{case:20} {times[case][0]:9.0f} us  " + " ".join(f"{t:6.2f}" for t in row))
    if o.svg:
        with open(o.svg, "w") as file:
            file.write(picture(measured, modelled, cores))


if __name__ == "__main__":
    main()
