"""JAX's own tests on weft, against the list of those that are expected to fail.

    build/jax/bin/python plugins/pjrt/python/jax_tests.py [--write] [--keep=LOGS] FOLDER [FILE...]

FOLDER is a checkout of JAX at the version that is installed, or its tests/ folder (the tests are not in JAX's
wheel). FILE is lax_test, random_test ...; without one, all of FILES. JAX_NUM_GENERATED_CASES says how many
cases each test makes: 10 if it is not set.

The list, jax_failures.txt, has a line for each test that may fail: file, class and method, and why in a word.
The word stands for what the failure must say (REASONS): another failure of a listed test is not expected.
--write makes the list anew for the tests that ran: those that failed with a known reason.
--keep leaves a log of each file's tests in the folder LOGS; what stands in a log is not run again, so that a run
that was ended goes on.

A test that ends the process, or takes longer than LIMIT, has failed ("ended the process"); the others go on
in a new one.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

FILES = """lax_test lax_numpy_test lax_numpy_reducers_test lax_numpy_operators_test lax_numpy_indexing_test
lax_numpy_einsum_test lax_numpy_setops_test lax_numpy_ufuncs_test lax_numpy_vectorize_test
lax_vmap_test lax_vmap_op_test lax_control_flow_test lax_autodiff_test batching_test api_test array_test
random_test random_lax_test random_impl_test nn_test linalg_test eigh_test svd_test lobpcg_test fft_test
lax_scipy_test lax_scipy_special_functions_test lax_scipy_sparse_test scipy_fft_test scipy_interpolate_test
scipy_ndimage_test scipy_optimize_test scipy_signal_test scipy_spatial_test scipy_stats_test
custom_linear_solve_test custom_root_test image_test polynomial_test ode_test jet_test stax_test
experimental_rnn_test sparse_test python_callback_test debugging_primitives_test checkify_test""".split()

# What a failure says, by the word of the list.
REASONS = {
    "platform": r"__testing_non_existent_custom_call' unexpectedly found",   # what all others are to take
}
# What no message shows: numbers that differ by rounding.
OF_NUMBERS = ("tolerance",)
HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "jax_failures.txt")
LOG = os.environ.get("WEFT_JAX_TESTS_LOG")
LIMIT = 300             # seconds for one test, on a busy machine


def read_list():
    """(file, test) -> the words it may fail with."""
    known = collections.defaultdict(set)
    for line in open(LIST) if os.path.exists(LIST) else []:
        words = line.split("#")[0].split()
        if words:
            known[words[0], words[1]].update(words[2:])
    return known


def write_list(known):
    head = "".join(line for line in open(LIST) if line.startswith("#")) if os.path.exists(LIST) else ""
    with open(LIST, "w") as out:
        out.write(head)
        for (file, test), words in sorted((k, w) for k, w in known.items() if w):
            out.write(f"{file} {test} {' '.join(sorted(words))}\n")


def test_name(case):
    """Class.method, of all generated cases: testSum3 is one of testSum's."""
    owner, method = case.split("::")[-2:]
    return owner + "." + re.sub(r"(?<=[^\d])_?\d+$", "", method.split("[")[0])


# ---- in pytest's process: the log, a line of JSON for each thing said ----


def count_as_cpu():
    """weft runs what tests keep for CPUs; what they do not run on a CPU, it runs, too."""
    import jax._src.test_util as jtu

    if jtu._get_device_tags() == {"weft", "cpu"}:
        return
    skip = jtu.skip_on_devices
    jtu._get_device_tags = lambda: {"weft", "cpu"}
    jtu.skip_on_devices = lambda *devices, **how: skip(*[d for d in devices if d != "cpu"], **how)


def pytest_make_collect_report(collector):
    if hasattr(collector, "_getobj"):   # a file; not before: JAX's helpers keep the standard output that they find
        count_as_cpu()


def run_pytest(arguments):
    import pytest

    sys.path.remove(HERE)       # where a jax_plugins lies that has no library
    sys.exit(pytest.main(arguments, plugins=[sys.modules[__name__]]))


def log(**said):
    if LOG:
        with open(LOG, "a") as out:
            out.write(json.dumps(said) + "\n")


def pytest_runtest_logstart(nodeid):
    log(case=nodeid, was="started")


def pytest_runtest_logreport(report):
    if report.when == "call" or not report.passed:
        log(case=report.nodeid, was=report.outcome, says=report.longreprtext if report.failed else "")


def pytest_collection_modifyitems(items):
    done = read_log(LOG) if LOG else ()
    items[:] = [i for i in items if i.nodeid not in done]


# ---- in the process that runs it ----


def read_log(path):
    """case -> (what became of it, what it said)."""
    cases, lines = {}, []
    if os.path.exists(path):
        with open(path) as log_file:
            lines = log_file.readlines()
    for line in lines:
        said = json.loads(line)
        case = said["case"]
        if said["was"] == "started":
            cases[case] = "failed", "ended the process"
        elif cases[case] in (("failed", "ended the process"), ("passed", "")):  # one failed part of a test is enough
            cases[case] = said["was"], said["says"]
    return cases


def run(folder, name, path):
    """What became of each case of a file, None: there are none. A process that a case ended is followed by another."""
    env = dict(os.environ, JAX_PLATFORMS="weft,cpu", OMP_NUM_THREADS="1", WEFT_JAX_TESTS_LOG=path)
    env.setdefault("JAX_NUM_GENERATED_CASES", "10")
    pytest = [sys.executable, os.path.join(HERE, "jax_tests.py"), "--pytest", "-q", "-p", "no:cacheprovider",
              "--tb=short", f"--timeout={LIMIT}", "--timeout-method=thread", os.path.join(folder, name + ".py")]
    while True:
        before = len(read_log(path))
        done = subprocess.run(pytest, env=env, capture_output=True, text=True)
        cases = read_log(path)
        if not cases:
            print(f"{name}: pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            return None
        if len(cases) == before:        # nothing was left to run
            return cases
        if done.returncode in (0, 5):
            return cases


def reason_of(message):
    return next((word for word, says in REASONS.items() if re.search(says, message)), None)


class File:
    """What came out of one file."""

    def __init__(self, name, cases, known):
        self.passed = self.skipped = 0
        self.reasons = collections.Counter()
        self.found = collections.defaultdict(set)       # each test that ran -> words
        self.unexpected = []
        for case, (was, says) in cases.items():
            self.found[test_name(case)]
            if was == "failed":
                self.failed(name, case, says, known)
            elif was == "skipped":
                self.skipped += 1
            else:
                self.passed += 1

    def failed(self, name, case, says, known):
        test, reason = test_name(case), reason_of(says)
        listed = known.get((name, test), ())
        if reason is None and "Not equal to tolerance" in says:
            reason = next((word for word in OF_NUMBERS if word in listed), None)
        self.reasons[reason or "unexpected"] += 1
        if reason:
            self.found[test].add(reason)
        if reason not in listed:
            last = (re.findall(r"^E  +(.*)", says, re.M) or says.strip().splitlines() or [""])[0]
            self.unexpected.append(f"{name} {case.split('::')[-1]}: {reason or last[:200]}")

    def share(self):
        """Of what is not skipped."""
        return self.passed, self.passed + sum(self.reasons.values())


def one_file(folder, name, logs):
    with tempfile.TemporaryDirectory() as scratch:
        return run(folder, name, os.path.join(os.path.abspath(logs or scratch), name + ".jsonl"))


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    folder, *names = [a for a in sys.argv[1:] if not a.startswith("--")]
    write = "--write" in options
    logs = next((o.removeprefix("--keep=") for o in options if o.startswith("--keep=")), None)
    if logs:
        os.makedirs(logs, exist_ok=True)
    if os.path.isdir(os.path.join(folder, "tests")):
        folder = os.path.join(folder, "tests")
    unexpected, passed, counted = [], 0, 0
    for name in [n.removesuffix(".py") for n in names] or FILES:
        cases = one_file(folder, name, logs)
        if cases is None:
            unexpected.append(f"{name}: it has not run")
            continue
        known = read_list()
        file = File(name, cases, known)
        p, c = file.share()
        passed, counted = passed + p, counted + c
        failed = sum(file.reasons.values())
        told = ", ".join(f"{n} {r}" for r, n in file.reasons.most_common())
        counts = f"{file.passed:5} passed {file.skipped:5} skipped {failed:5} failed "
        print(f"{name:34}", counts, told, flush=True)
        unexpected += file.unexpected
        if write:
            known.update({(name, test): words for test, words in file.found.items()})
            write_list(known)
    if counted:
        print(f"{passed} of {counted} passed, {100 * passed / counted:.2f} %, of what is not skipped")
    if unexpected:
        print(f"{len(unexpected)} not expected (jax_failures.txt):", *unexpected, sep="\n")
    sys.exit(bool(unexpected) and not write)


if __name__ == "__main__":
    run_pytest(sys.argv[2:]) if sys.argv[1:2] == ["--pytest"] else main()
