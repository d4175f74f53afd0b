#!/bin/sh
# symbols.sh FILE PATTERN: every symbol that FILE (a shared object or an archive) defines for others matches PATTERN, and there is one at least.
set -eu
case $1 in
*.a) names=$(nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }') ;;
*)   names=$(nm -D --defined-only "$1" | awk '{ print $NF }') ;;
esac
[ -n "$names" ] || { echo "$1 exports nothing" >&2; exit 1; }
others=$(printf '%s\n' "$names" | grep -Evx "$2" || true)
[ -z "$others" ] || { printf '%s exports beside %s:\n%s\n' "$1" "$2" "$others" >&2; exit 1; }
