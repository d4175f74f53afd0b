#!/bin/sh
# symbols.sh FILE PATTERN [TABLE]: every symbol that FILE (a shared object or an archive) defines for others matches
# PATTERN, and there is one at least; its functions are those of TABLE, the one that table.awk makes of the headers.
set -eu
case $1 in
*.a) symbols=$(nm -g --defined-only "$1" | awk 'NF == 3') ;;
*)   symbols=$(nm -D --defined-only "$1") ;;
esac
names=$(printf '%s\n' "$symbols" | awk '{ print $NF }')
[ -n "$names" ] || { echo "$1 exports nothing" >&2; exit 1; }
others=$(printf '%s\n' "$names" | grep -Evx "$2" || true)
[ -z "$others" ] || { printf '%s exports beside %s:\n%s\n' "$1" "$2" "$others" >&2; exit 1; }
[ $# -gt 2 ] || exit 0
{ printf '%s\n' "$symbols" | awk '$2 == "T" { print $3, "exported" }'; sed -n 's/^ROW(\([a-z0-9_]*\),.*/\1 declared/p' "$3"; } |
    sort | awk '{ count[$1]++; last[$1] = $2 }
                END { for (name in count) if (count[name] != 2) { print name, "is only", last[name]; bad = 1 }
                      exit bad || !NR }' >&2
