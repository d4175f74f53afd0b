#!/bin/sh
# run.sh BUILD LIBDIR: installs the build folder into an empty place and builds the consumer against it, by CMake and by pkg-config,
# with the shared and the static library, and runs each.
set -eu
build=$1 libdir=$2
here=$(cd "$(dirname "$0")" && pwd)
place=$build/consumer
rm -rf "$place"
mkdir -p "$place"
quietly() { "$@" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }; }
quietly cmake --install "$build" --prefix "$place/installed"
mv "$place/installed" "$place/prefix"   # an installed tree can be moved
backend="$place/prefix/$libdir/weft/libweft-llvm.so"
unset WEFT_BACKEND

export LD_LIBRARY_PATH="$place/prefix/$libdir" PKG_CONFIG_PATH="$place/prefix/$libdir/pkgconfig"

quietly cmake -S "$here" -B "$place/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$place/prefix"
quietly cmake --build "$place/cmake"
"$place/cmake/consumer_shared"
WEFT_BACKEND=$backend "$place/cmake/consumer_static"      # the back end is not beside the program

flags() { pkg-config "$@" weft; }
# shellcheck disable=SC2046 # lists of words
{
    cc -std=gnu11 -Wall -Wextra -Werror "$here/main.c" -o "$place/by_pkg_config" $(flags --cflags --libs)
    cc -std=gnu11 -Wall -Wextra -Werror "$here/main.c" -o "$place/by_pkg_config_static" -Wl,-Bstatic $(flags --libs-only-L) \
        $(flags --cflags) -lweft -Wl,-Bdynamic $(flags --libs --static | tr ' ' '\n' | grep -v lweft)
}
"$place/by_pkg_config"
WEFT_BACKEND=$backend "$place/by_pkg_config_static"
