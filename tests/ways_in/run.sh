#!/bin/bash
# run.sh BUILD: programs that have more rights than who starts them, and programs started from a stranger's
# folder, take nothing from him: no back end, target or place for dumps. Ends with 77, "skipped", if not root.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make set-uid programs"; exit 77; }

place=$(mktemp -d)                      # where another user gets to; the build folder may be closed to him
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
umask 022
cmake --install "$build" --prefix "$place/weft" >/dev/null
library=$(dirname "$(find "$place/weft" -name libweft.so)")
mkdir "$place/bin" "$place/stranger" "$place/stranger/weft" "$place/dumps"
cc -shared -fPIC "$here/stranger.c" -o "$place/stranger/libweft-llvm.so"
cp "$place/stranger/libweft-llvm.so" "$place/stranger/weft"
compile() { cc -I"$place/weft/include" "$here/main.c" -o "$place/bin/$1" "${@:2}"; }
compile plain -L"$library" -lweft -Wl,-rpath,"$library"
compile archive "$library/libweft.a" -lffi -lm
programs="plain archive"
if compile static -static "$library/libweft.a" -lffi -lm 2>/dev/null; then programs="$programs static"
else echo "not tried: a static program"; fi
chmod 777 "$place/dumps"
unset WEFT_BACKEND WEFT_DUMP WEFT_PERF WEFT_TARGET

failed=0
# expect WHAT PATTERN COMMAND...: its output matches.
expect() {
    local what=$1 pattern=$2 output
    shift 2
    output=$("$@" 2>&1) || output="$output (status $?)"
    # shellcheck disable=SC2053 # a pattern
    [[ $output == $pattern ]] || { echo "$what: expected $pattern, got $output"; failed=1; }
}
more=()                                 # what a user is given
as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "${more[@]}" "$@"; }

# An ordinary program: each variable counts.
backend=WEFT_BACKEND=$place/stranger/libweft-llvm.so target=WEFT_TARGET=nonsense dump=WEFT_DUMP=$place/dumps
relative=WEFT_BACKEND=weft/libweft-llvm.so
expect "ordinary" "good" as_user "$place/bin/plain"
expect "ordinary, $backend" "a stranger's code runs*" as_user env "$backend" "$place/bin/plain"
cd "$place/stranger"
expect "ordinary, $relative" "*no absolute path*" as_user env "$relative" "$place/bin/plain"
expect "ordinary, $target" "*does not run the target*" as_user env "$target" "$place/bin/plain"
expect "ordinary, $dump" "good" as_user env "$dump" "$place/bin/plain"
[ -e "$place/dumps/jit(twice).1.ll" ] || { echo "ordinary, WEFT_DUMP: no dump"; failed=1; }
rm -f "$place"/dumps/*
shown() { find /tmp -maxdepth 1 \( -name 'perf-*.map' -o -name 'jit-*.dump' \) -exec grep -l 'jit(twice)' {} + 2>/dev/null || true; }
shown | xargs -r rm -f
expect "ordinary, WEFT_PERF" "good" as_user env WEFT_PERF=1 "$place/bin/plain"
[ "$(shown | wc -l)" = 2 ] || { echo "ordinary, WEFT_PERF: no files"; failed=1; }
shown | xargs -r rm -f

# refuse WHAT COMMAND...: none counts.
refuse() {
    local what=$1
    shift
    expect "$what" good as_user env "$backend" "$target" "$dump" WEFT_PERF=1 "$@"
    [ -z "$(ls "$place/dumps")" ] || { echo "$what: a dump was made"; failed=1; }
    [ -z "$(shown)" ] || { echo "$what: perf was shown code"; failed=1; }
}
cp "$(command -v id)" "$place/bin/id"
chmod 4755 "$place/bin/id"
if [ "$(as_user "$place/bin/id" -u)" = 0 ]; then
    for mode in 4755:0:0 4755:1:1 2755:0:1; do
        IFS=: read -r bits user group <<<"$mode"
        cp "$place/bin/plain" "$place/bin/special"
        chown "$user:$group" "$place/bin/special"
        chmod "$bits" "$place/bin/special"
        refuse "mode $bits of user $user, group $group" "$place/bin/special"
    done
    cp "$place/bin/plain" "$place/bin/special"
    if setcap cap_chown+ep "$place/bin/special" 2>/dev/null; then
        refuse "capabilities of the file" "$place/bin/special"
    else
        echo "not tried: capabilities of a file"
    fi
else
    echo "not tried: $place does not allow set-uid programs"
fi
more=(--inh-caps +chown --ambient-caps +chown)
if as_user true; then refuse "ambient capabilities" "$place/bin/plain"
else echo "not tried: ambient capabilities"; fi
more=()

# Neither the current folder nor the program's name says where the back end is.
for program in $programs; do
    for name in "$place/stranger/prog" ./prog prog weft/prog; do
        output=$( (exec -a "$name" "$place/bin/$program") 2>&1) || true
        case $program:$output in
        plain:good | archive:good | archive:*"No such file"* | static:*"linked with -static"*) ;;
        *) echo "$program started as $name: $output"; failed=1 ;;
        esac
    done
done

# A back end, or a folder above it, that others may write.
for path in "$library/weft/libweft-llvm.so" "$library/weft" "$library" "$place/weft"; do
    for mode in g+w o+w; do
        chmod "$mode" "$path"
        expect "$path $mode" "*$path belongs to user 0, group 0, with mode 0*must belong to root*" \
            env WEFT_BACKEND="$library/weft/libweft-llvm.so" "$place/bin/plain"
        chmod g-w,o-w "$path"
    done
done
expect "at the end" "good" "$place/bin/plain"
exit "$failed"
