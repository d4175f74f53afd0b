#!/bin/sh
# dlpack_numpy.sh LIBRARY PYTHON...: dlpack_numpy.py in the first of these Pythons that has what it takes; 77: none.
set -eu
library=$1
shift
for python; do
    code=0
    "$python" -c pass 2>/dev/null || continue
    "$python" "$(dirname "$0")/dlpack_numpy.py" "$library" || code=$?
    [ $code -eq 77 ] || exit $code
done
echo 'skipped: no Python with NumPy 2.1'
exit 77
