#!/bin/sh
# check.sh FILE COMPILER [FLAG...]: each line of FILE that ends in "//! TEXT" is an error of that compiler, and no line without is. In C the error matches TEXT, a
# regular expression; in C++ any error will do. "//C TEXT": in C only; "//X": in C++ only.
set -eu
file=$1
shift
if "$@" --version | grep -q clang; then set -- "$@" -ferror-limit=0
else set -- "$@" -ftrack-macro-expansion=0; fi      # errors stand at the call, as clang's do
case " $* " in *" c++ "*) cxx=1 ;; *) cxx=0 ;; esac
{ LC_ALL=C "$@" -fsyntax-only "$file" 2>&1 || true; } | awk -v file="$file" -v cxx="$cxx" '
    index($0, file ":") == 1 && / error: |required from here|in instantiation of/ { split($0, place, ":"); said[place[2]] = said[place[2]] "\n    " $0 }
    END {
        while ((getline line < file) > 0) {
            at++
            if (line !~ /; *\/\/[!CX] / || line ~ (cxx ? "//C " : "//X ")) {
                if (at in said && line !~ /\/\/C /) { print "does not compile:" said[at]; bad++ }
                continue
            }
            tried++
            wanted = line
            sub(/.*; *\/\/[!CX] /, "", wanted)
            if (!(at in said)) { print "compiles: " file ":" at ": " line; bad++ }
            else if (!cxx && said[at] !~ wanted) { print "not \"" wanted "\", but" said[at]; bad++ }
        }
        print tried " traps, " bad + 0 " of them open"
        exit bad > 0 || !tried
    }' -
