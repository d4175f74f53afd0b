#!/bin/sh
# dlpack.sh LIBRARY OTHER PYTHON...: dlpack_OTHER.py in the first of these Pythons that has what it takes; 77: none.
set -eu
library=$1
other=$2
shift 2
for python; do
    code=0
    "$python" -c pass 2>/dev/null || continue
    "$python" -B "$(dirname "$0")/dlpack_$other.py" "$library" || code=$?
    [ $code -eq 77 ] || exit $code
done
echo "skipped: none of $* has $other, new enough to know versioned tensors"
exit 77
