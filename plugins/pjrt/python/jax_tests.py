"""JAX's own tests on weft, against the list of those that are expected to fail.

    build/jax/bin/python plugins/pjrt/python/jax_tests.py [--write] FOLDER [FILE...]

FOLDER is a checkout of JAX at the version that is installed, or its tests/ folder (the tests are not in JAX's
wheel). FILE is lax_test, random_test ...; without one, all of FILES. JAX_NUM_GENERATED_CASES says how many
cases each test makes: 1 if it is not set.

The list, jax_failures.txt, has a line for each test that may fail: file, class and method, and why in a word.
The word stands for what the failure must say (REASONS): another failure of a listed test is not expected.
--write adds to the list what failed with a known reason.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

FILES = """lax_test lax_numpy_test lax_numpy_reducers_test lax_numpy_operators_test lax_numpy_indexing_test
lax_vmap_test lax_control_flow_test lax_autodiff_test random_test nn_test linalg_test fft_test lax_scipy_test
lax_scipy_special_functions_test scipy_fft_test scipy_interpolate_test scipy_ndimage_test scipy_optimize_test
scipy_signal_test scipy_spatial_test scipy_stats_test""".split()

# What a failure says, by the word of the list.
REASONS = {
    "complex": r"not supported: (complex types|PJRT's element type 1[45])",
    "convolution": r"not supported: convolution",
    "fft": r"not supported: (FFT|fft)",
    "linear-algebra": r"not supported: (triangular_solve and cholesky|custom_call @(Qr|ProductOfElementary))"
                      r"|rule for primitive '(eigh?|svd|schur|hessenberg|tridiagonal|geqp3)' not found",
    "few-bits": r"not supported: (integers of 2, 4 and other widths|floats of 8 bits"
                r"|PJRT's element type (1[6-9]|[2-9]\d))",
    "collective": r"not supported: (collectives|all_reduce|all_gather|all_to_all|partition_id|replica_id)",
    "callback": r"callback|debug_print|primitive 'check'",
    "token": r"not supported: infeed, outfeed",
    "hlo-text": r"'NoneType' object has no attribute|argument of type 'NoneType'",  # as_text()
}
# What issues to come bring: it does not count in the share of tests that pass.
NEXT = ("complex", "convolution", "fft", "linear-algebra", "few-bits")
HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "jax_failures.txt")


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
        for (file, test), words in sorted(known.items()):
            out.write(f"{file} {test} {' '.join(sorted(words))}\n")


def test_name(case):
    """Class.method, of all generated cases: testSum3 is one of testSum's."""
    method = re.sub(r"(?<=[^\d])_?\d+$", "", case.get("name").split("[")[0])
    return case.get("classname").split(".")[-1] + "." + method


def run(folder, name):
    """What pytest says of each case of a file; None: it did not end well."""
    env = dict(os.environ, JAX_PLATFORMS="weft,cpu", OMP_NUM_THREADS="1")
    env.setdefault("JAX_NUM_GENERATED_CASES", "1")
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.xml")
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=300"]
        done = subprocess.run(pytest + [f"--junit-xml={report}", os.path.join(folder, name + ".py")],
                              env=env, capture_output=True, text=True)
        if not os.path.exists(report):
            print(f"{name}: pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            return None
        return list(xml.parse(report).getroot().iter("testcase"))


def reason_of(message):
    return next((word for word, says in REASONS.items() if re.search(says, message)), None)


class File:
    """What came out of one file."""

    def __init__(self, name, cases, known):
        self.passed = self.skipped = 0
        self.reasons = collections.Counter()
        self.found = collections.defaultdict(set)       # test -> words
        self.unexpected = []
        for case in cases:
            wrong = next((w for w in map(case.find, ("failure", "error")) if w is not None), None)
            if wrong is not None:
                self.failed(name, case, wrong, known)
            elif case.find("skipped") is not None:
                self.skipped += 1
            else:
                self.passed += 1

    def failed(self, name, case, wrong, known):
        says = (wrong.get("message") or "") + "\n" + (wrong.text or "")
        test, reason = test_name(case), reason_of(says)
        listed = known.get((name, test), ())
        if "tolerance" in listed and reason is None:    # the one word that no message shows
            reason = "tolerance"
        self.reasons[reason or "unexpected"] += 1
        if reason:
            self.found[test].add(reason)
        if reason not in listed:
            first = ((wrong.get("message") or "").strip().splitlines() or [""])[0]
            self.unexpected.append(f"{name} {case.get('name')}: {reason or first[:200]}")

    def share(self):
        """Of what is not skipped and needs nothing that is still to come."""
        rest = sum(n for word, n in self.reasons.items() if word not in NEXT)
        return self.passed, self.passed + rest


def main():
    arguments = sys.argv[1:]
    write = "--write" in arguments
    folder, *names = [a for a in arguments if a != "--write"]
    if os.path.isdir(os.path.join(folder, "tests")):
        folder = os.path.join(folder, "tests")
    known, unexpected, passed, counted = read_list(), [], 0, 0
    for name in [n.removesuffix(".py") for n in names] or FILES:
        cases = run(folder, name)
        if cases is None:
            unexpected.append(f"{name}: it did not end")
            continue
        file = File(name, cases, known)
        p, c = file.share()
        passed, counted = passed + p, counted + c
        failed = sum(file.reasons.values())
        told = ", ".join(f"{n} {r}" for r, n in file.reasons.most_common())
        counts = f"{file.passed:5} passed {file.skipped:5} skipped {failed:5} failed "
        print(f"{name:34}", counts, told, flush=True)
        for test, words in file.found.items() if write else ():
            known[name, test] |= words
        unexpected += file.unexpected
    if counted:
        print(f"{passed} of {counted} passed, {100 * passed / counted:.1f} %,",
              "of what is not skipped and needs none of", ", ".join(NEXT))
    if write:
        write_list(known)
    elif unexpected:
        print(f"{len(unexpected)} not expected (jax_failures.txt):", *unexpected, sep="\n")
    sys.exit(bool(unexpected) and not write)


if __name__ == "__main__":
    main()
