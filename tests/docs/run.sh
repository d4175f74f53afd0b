#!/bin/sh
# run.sh LIBWEFT.SO PLACE FILE.md...: every C block that has a main is compiled, warnings being errors, and run; what it prints must be the text block that follows
# it, if one does. Blocks without a main are parts of programs, and are left alone.
set -eu
library=$1 place=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$place"
mkdir -p "$place"

# FILE.md's blocks as NAME-LINE.c and, for what must be printed, NAME-LINE.want.
extract() {
    awk -v out="$place/$(basename "$1" .md)" '
        /^```/ && kind == "" {
            kind = substr($0, 4)
            if (kind == "") kind = "other"
            if (kind == "c") { block = out "-" NR ".c"; printf "" > block; main = 0 }
            if (kind == "text" && after) printf "" > (want = block ".want")
            next
        }
        /^```/ { after = kind == "c" && main; kind = ""; want = ""; next }
        kind == "c" { print > block; if ($0 ~ /int main\(/) main = 1; next }
        kind == "text" && want != "" { print > want; next }
        kind == "" && NF { after = 0 }
    ' "$1"
}
for file; do extract "$root/$file"; done

failed=0 count=0
for block in "$place"/*-*.c; do
    grep -q 'int main(' "$block" || continue
    count=$((count + 1))
    program=${block%.c}
    name=$(basename "${program%-*}").c                          # messages then name tour.c
    cp "$block" "$place/$name"
    if ! (cd "$place" && cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$root/include" "$name" -o "$program" "$library" \
                            -Wl,-rpath,"$(dirname "$library")" -lm); then
        echo "$block does not compile"
        failed=1
        continue
    fi
    if ! (cd "$place" && "$program") > "$program.got" 2>&1; then
        echo "$block failed:"
        cat "$program.got"
        failed=1
    elif [ -e "$block.want" ] && ! diff -u "$block.want" "$program.got"; then
        failed=1
    fi
done
[ "$count" -gt 0 ] || { echo "no program found"; failed=1; }
echo "$count programs"
exit "$failed"
