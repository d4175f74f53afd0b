#!/bin/sh
# hardened.sh FILE...: shared objects, programs and archives are built as cmake/flags.cmake says.
set -eu
failed=0
complain() { echo "$file: $*" >&2; failed=1; }
has() { printf '%s\n' "$1" | grep -Eq "$2"; }

for file; do
    symbols=$(readelf -Ws "$file")
    notes=$(readelf -Wn "$file")
    sections=$(readelf -WS "$file")
    has "$symbols" 'UND __stack_chk_fail' || complain "no guarded stacks"
    has "$symbols" 'UND __(memcpy|snprintf|vsnprintf)_chk' || complain "no checked calls of the C library"

    case $file in
    *.a)
        has "$sections" '\.note\.GNU-stack' || complain "does not say that its stack need not be executable"
        ! has "$sections" '\.note\.GNU-stack.* X ' || complain "wants a stack that can be executed"
        case $(uname -m) in
        x86_64) has "$notes" 'IBT, SHSTK' || complain "not marked for branch tracking and shadow stacks" ;;
        esac
        continue ;;
    esac

    segments=$(readelf -Wl "$file")
    dynamic=$(readelf -Wd "$file")
    has "$segments" 'GNU_STACK .* RW ' || complain "its stack can be executed"
    ! has "$segments" ' RWE ' || complain "a segment is writable and executable"
    has "$segments" 'GNU_RELRO' || complain "no RELRO"
    has "$dynamic" 'FLAGS_1.* NOW' || complain "addresses are bound late"
    has "$(readelf -Wh "$file")" 'Type: +DYN' || complain "not position-independent"
    ! has "$dynamic" 'TEXTREL' || complain "code is relocated"
    # Not in the current folder, which an empty entry is, nor below it.
    path=$(printf '%s\n' "$dynamic" | sed -n 's/.*(RU*N*PATH).*\[\(.*\)\]/:\1/p')
    ! has "$path" ':([^/]|$)' || complain "looks for libraries in \"${path#:}\""
done
exit "$failed"
