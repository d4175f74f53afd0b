#!/bin/sh
# getenv.sh FOLDER...: runtime/memory/environment.c alone reads the environment, and asks first whether it counts.
set -eu
readers=$(grep -rnwE --include='*.[ch]' --include='*.def' '(secure_)?getenv|environ|__environ' "$@")
others=$(printf '%s\n' "$readers" | grep -v '^runtime/memory/environment\.c:' || true)
[ -z "$others" ] || { printf 'these read the environment, too:\n%s\n' "$others" >&2; exit 1; }
