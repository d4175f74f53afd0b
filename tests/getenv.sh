#!/bin/sh
# getenv.sh FOLDER...: runtime/environment.c alone reads the environment, and asks first whether it counts.
set -eu
readers=$(grep -rnwE --include='*.[ch]' --include='*.def' '(secure_)?getenv|environ|__environ' "$@")
[ "$(printf '%s\n' "$readers" | cut -d: -f1 | sort -u)" = runtime/environment.c ] || { printf '%s\n' "$readers" >&2; exit 1; }
