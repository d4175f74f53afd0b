#!/bin/sh
# jax.sh PLUGIN PYTHON...: JAX on weft by the first of these Pythons that has JAX; 77 where none has.
set -eu
plugin=$1
shift
here=$(dirname "$0")
for python; do
    "$python" -c 'import jax, numpy' 2>/dev/null || continue
    status=0
    WEFT_PJRT=$plugin PYTHONPATH=$here/../../plugins/pjrt/python JAX_PLATFORMS=weft,cpu \
        "$python" "$here/jax_on_weft.py" || status=$?
    exit $status
done
echo "skipped: none of $* has JAX (./dev jax-tests and ./dev bench --peers make one that has)"
exit 77
