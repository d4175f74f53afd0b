#!/bin/sh
# layers.sh SOURCE LIBRARY: nothing in compiler/ and runtime/ reaches upwards, neither a file that includes a header
# nor an object of the static library that uses a symbol. A room knows itself, its own folders, and the rooms on the
# lines above its own; of those on its line only what "=" ties to it. Nobody else knows compiler/llvm.
set -eu
cd "$1"
rooms='
compiler/graph=compiler/scalar
compiler/passes
compiler/vmap        compiler/planes
compiler/derive      compiler/text      compiler/target
compiler/program
compiler/fuse        compiler/backend
compiler/pipeline    compiler/llvm
runtime/memory       runtime/library
runtime/process      runtime/eager      runtime/team
runtime/exec         runtime/trace
runtime/tree
runtime/call
runtime/transforms   runtime/ops
runtime/random       runtime/io
runtime
'
{
    find compiler runtime -name '*.[ch]' | sed 's/^/file /'
    grep -r --include='*.[ch]' '#include "[cr]\|#include <llvm-c' compiler runtime | sed 's/^\([^:]*\):[^"<]*["<]\([^">]*\).*/include \1 \2/'
    nm -A -P "$2" | sed -n 's/^.*\[\(.*\)\.o\]: \([^ ]*\) \([A-Zvw]\).*/symbol \1 \2 \3/p'
} |
awk -v rooms="$rooms" '
    function room(path, whole) {
        for (whole = path; path != "" && !(path in level); )
            if (!sub(/\.[ch]$/, "", path) && !sub(/\/[^\/]*$/, "", path)) path = ""
        return path == "runtime" && whole ~ /\/.*\// ? "" : path }
    function check(from, to, how) {
        from_room = room(from); to_room = room(to)
        if (from_room == to_room || tied[from_room] == to_room || tied[to_room] == from_room) return
        if (level[to_room] < level[from_room] && to_room != "compiler/llvm") return
        print from ": " how; bad++ }
    BEGIN {
        for (n = split(rooms, line, "\n"); n; n--)
            for (m = split(line[n], word, " "); m; m--) {
                if (split(word[m], pair, "=") == 2) tied[pair[1]] = pair[2]
                for (k in pair) level[pair[k]] = n } }
    $1 == "file" {
        name = $2; sub(/.*\//, "", name)
        if (room($2) == "") { print $2 ": no line of layers.sh has its room"; bad++ }
        if (name in path) { print $2 ": the name of " path[name] " too"; bad++ }
        path[name] = $2 }
    $1 == "include" && $3 ~ /^llvm-c/ { if (room($2) != "compiler/llvm") { print $2 ": includes LLVM"; bad++ }; next }
    $1 == "include" && $3 ~ /^(compiler|runtime)\// { includes++; check($2, $3, "includes " $3) }
    $1 == "symbol" && $4 ~ /[Uvw]/ { user[++uses] = $2; used[uses] = $3; next }
    $1 == "symbol" { home[$3] = $2 }
    END {
        for (i = 1; i <= uses; i++) {
            if (!(used[i] in home)) continue
            symbols++
            check(path[user[i]], path[home[used[i]]], "uses " used[i] " of " path[home[used[i]]]) }
        print includes " includes, " symbols " symbols, " bad + 0 " upwards"
        exit bad > 0 || !includes || !symbols }'
