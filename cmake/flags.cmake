# The flags of every target.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)     # each file is compiled once, for the shared and the static library alike
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Werror=switch "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Werror=incompatible-pointer-types>")
# gcc contracts a * b + c by default where the target has FMA; eager mode is the oracle and must round each operation.
add_compile_options(-ffp-contract=off)
# What is exported is said once, by the linker script; nothing inside the library goes through the PLT for the sake of interposition.
add_compile_options(-fno-semantic-interposition)
if(WEFT_WERROR)
    add_compile_options(-Werror)
endif()
# Hardened, so that a write past an array is an end and not a way in: guarded stacks, addresses that are
# read-only once the loader has set them, no stack that can be executed, jumps to where functions begin only,
# checked calls of the C library (these need optimization, and hide what the sanitizers look for).
include(CheckPIESupported)
check_pie_supported()
add_compile_options(-fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection=full)
else()
    add_compile_options(-mbranch-protection=standard)
endif()
if(NOT WEFT_SANITIZE)
    set(optimized $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
    add_compile_options($<${optimized}:-U_FORTIFY_SOURCE> $<${optimized}:-D_FORTIFY_SOURCE=3>)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
set(WEFT_CLOSED -Wl,-z,defs)                # a shared object with something undefined is refused when it is linked, not when it is opened
if(WEFT_SANITIZE)
    set(WEFT_CLOSED "")                     # the sanitizers' own symbols come with the program
    set(sanitizers address,undefined)
    if(WEFT_SANITIZE STREQUAL "thread")
        set(sanitizers thread)
    else()
        add_compile_definitions(WEFT_ARENA_APART)
    endif()
    add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${sanitizers})
    if(WEFT_SANITIZE STREQUAL "fuzzer")
        add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
        # at -O2 clang 19 takes half an hour with all that is watched there
        set_source_files_properties(runtime/library/sorts/vector_sort.c PROPERTIES COMPILE_OPTIONS -O1)
    endif()
endif()
