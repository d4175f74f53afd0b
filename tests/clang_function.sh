#!/bin/sh
# clang_function.sh CLANG INCLUDE LIBRARY OUT: a program that clang checks for calls of functions of another type, which reads what stands before each function called by
# pointer, weft's closures too.
set -eu
"$1" -fsanitize=function -fsanitize-trap=function -I"$2" "$(dirname "$0")/install/main.c" -o "$4" "$3" -Wl,-rpath,"$(dirname "$3")" -lm
exec "$4"
