"""JAX's own tests on weft: which fail, and why.

    build/jax/bin/python plugins/pjrt/python/jax_tests.py FOLDER [FILE...]

FOLDER is a checkout of JAX at the version that is installed, or its tests/ folder (the tests are not in JAX's
wheel). FILE is lax_test, random_test ...; without one, those that weft means to pass. A failure is expected
where its message says that weft does not support something; any other is not, and counts as one of weft's.
"""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

FILES = """lax_test lax_numpy_test lax_numpy_reducers_test lax_numpy_operators_test lax_numpy_indexing_test lax_vmap_test
lax_control_flow_test lax_autodiff_test random_test nn_test""".split()
REASON = re.compile(r"not supported: ([^\n(]*)|(MLIR translation rule for primitive '[^']*' not found)")


def run(folder, name, report):
    env = dict(os.environ, JAX_PLATFORMS="weft,cpu", OMP_NUM_THREADS="1")
    env.setdefault("JAX_NUM_GENERATED_CASES", "1")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=120", f"--junit-xml={report}"]
    done = subprocess.run(command + [os.path.join(folder, name + ".py")], env=env, capture_output=True, text=True)
    if not os.path.exists(report):
        sys.exit(f"{name}: pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return xml.parse(report).getroot().iter("testcase")


def main():
    folder, names = sys.argv[1], sys.argv[2:] or FILES
    if os.path.isdir(os.path.join(folder, "tests")):
        folder = os.path.join(folder, "tests")
    unexpected = []
    for name in names:
        passed, skipped, reasons = 0, 0, {}
        report = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"weft-{name}-{os.getpid()}.xml")
        for case in run(folder, name.removesuffix(".py"), report):
            wrong = case.find("failure")
            wrong = case.find("error") if wrong is None else wrong
            if wrong is None:
                passed, skipped = (passed, skipped + 1) if case.find("skipped") is not None else (passed + 1, skipped)
                continue
            text = wrong.get("message", "") + "\n" + (wrong.text or "")
            found = REASON.search(text)
            reason = (found.group(1) or found.group(2)).strip() if found else "unexpected"
            reasons[reason] = reasons.get(reason, 0) + 1
            if not found:
                unexpected.append(f"{name} {case.get('name')}: {wrong.get('message', '').splitlines()[:1]}")
        os.remove(report)
        told = ", ".join(f"{n} {r}" for r, n in sorted(reasons.items(), key=lambda x: -x[1]))
        print(f"{name:28} {passed:5} passed {skipped:5} skipped {sum(reasons.values()):5} failed  {told}", flush=True)
    print("\n".join(unexpected))
    sys.exit(bool(unexpected))


main()
