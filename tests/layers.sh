#!/bin/sh
# layers.sh SOURCE: which folder may include which. Nothing below includes upwards: each folder knows those named
# behind it, and itself; the files of compiler/ itself know all of compiler/ but llvm.
set -eu
cd "$1"
layers='
compiler/graph        compiler/scalar
compiler/scalar       compiler/graph
compiler/passes       compiler/graph compiler/scalar
compiler/vmap         compiler/graph compiler/passes
compiler/derive       compiler/graph compiler/passes compiler/vmap
compiler/text         compiler/graph compiler/passes
compiler/program      compiler/graph compiler/text compiler
compiler/fuse         compiler/graph compiler/scalar compiler/program compiler/fuse/point compiler/fuse/kernels
compiler/fuse/point   compiler/graph compiler/fuse
compiler/fuse/kernels compiler/graph compiler/fuse/point
compiler/llvm         compiler/graph compiler/scalar compiler/program compiler
compiler              compiler/graph compiler/program compiler/passes compiler/fuse
runtime/library       compiler/graph compiler/program
runtime/eager         compiler/graph compiler/scalar runtime/memory runtime/library
'
grep -r --include='*.[ch]' '#include "\|#include <llvm-c' compiler runtime |
awk -v layers="$layers" '
    BEGIN { n = split(layers, line, "\n")
            for (i = 1; i <= n; i++) { m = split(line[i], word, " "); if (m) known[word[1]] = 1
                                       for (k = 1; k <= m; k++) may[word[1], word[k]] = 1 } }
    { from = $1; sub(/:.*/, "", from); folder = from; sub(/\/[^\/]*$/, "", folder) }
    /#include <llvm-c/ { if (folder != "compiler/llvm") { print from ": includes LLVM"; bad++ }; next }
    { to = $2; gsub(/"/, "", to); if (to !~ /^(compiler|runtime)\//) next
      sub(/\/[^\/]*$/, "", to); seen++
      if (folder ~ /^compiler/ && !(folder in known)) { print folder ": no line of layers.sh names it"; bad++ }
      if (folder in known && !((folder, to) in may)) { print from ": includes " $2; bad++ } }
    END { print seen " includes, " bad + 0 " upwards"; exit bad > 0 || !seen }'
