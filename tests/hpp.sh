#!/bin/sh
# hpp.sh CLANGXX SOURCE LIBRARY OUT: the operators of weft.hpp by another compiler than the build's, without warnings, in C++17 and C++20.
set -eu
for standard in 17 20; do
    "$1" -std=c++$standard -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$2/include" "$2/tests/ops/test_hpp.cpp" -o "$4" "$3" -Wl,-rpath,"$(dirname "$3")" -lm
    "$4"
done
