#!/bin/sh
# hpp.sh CXX SOURCE LIBRARY OUT: the operators of weft.hpp without warnings, in C++17 and what came later.
set -eu
for standard in 17 20 23; do
    "$1" -std=c++$standard -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$2/include" "$2/tests/ops/test_hpp.cpp" -o "$4" "$3" -Wl,-rpath,"$(dirname "$3")" -lm
    "$4"
done
