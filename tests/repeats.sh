#!/bin/sh
# repeats.sh PROGRAM ARGUMENT...: two runs say the same, but for times.
set -eu
first=$("$@" | sed 's/[0-9.]* ms//g')
second=$("$@" | sed 's/[0-9.]* ms//g')
[ "$first" = "$second" ] && exit 0
printf 'first:\n%s\nsecond:\n%s\n' "$first" "$second"
exit 1
