# Examples and bench.
find_package(PNG QUIET)

# The C that weft is measured against gets every flag a C programmer would give it, but is linked without -ffast-math, which would
# turn on flush-to-zero for the whole process.
set(WEFT_FASTEST_C -O3 -ffast-math -fopenmp-simd -ffp-contract=fast
                   $<$<C_COMPILER_ID:Clang>:-Wno-nan-infinity-disabled>)

file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c ${PROJECT_SOURCE_DIR}/examples/*.cpp)
set(WEFT_EXAMPLES "")
foreach(file IN LISTS examples)
    get_filename_component(name ${file} NAME_WE)
    file(STRINGS ${file} png REGEX "include <png.h>" LIMIT_COUNT 1)
    if(png AND NOT PNG_FOUND)
        message(STATUS "examples/${name} is left out: it needs libpng")
        continue()
    endif()
    add_executable(example_${name} ${file})
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_link_libraries(example_${name} PRIVATE weft m)
    if(png)
        target_link_libraries(example_${name} PRIVATE PNG::PNG)
    endif()
    weft_opens_backend(example_${name})
    list(APPEND WEFT_EXAMPLES ${name})
endforeach()

# openmp.c is a program without, too.
find_package(OpenMP QUIET COMPONENTS C CXX)
if(TARGET OpenMP::OpenMP_C)
    target_link_libraries(example_openmp PRIVATE OpenMP::OpenMP_C)
endif()

# knn.c measures itself against loops of its own; it also says INFINITY.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/examples/knn.c APPEND PROPERTY COMPILE_OPTIONS ${WEFT_FASTEST_C} -march=native
    -mprefer-vector-width=512 -fno-finite-math-only)

# The bench's loops in C: for each target in shared objects that the bench opens, one as they are and, where the compiler has OpenMP,
# one whose loops are shared out among threads.
function(weft_loops_object name)
    file(GLOB loops CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/loops*.c ${PROJECT_SOURCE_DIR}/bench/loops*.cpp)
    add_library(${name} MODULE ${loops})
    target_compile_options(${name} PRIVATE ${WEFT_FASTEST_C} ${ARGN})
    target_link_libraries(${name} PRIVATE m)
    set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    add_dependencies(weft-bench ${name})
endfunction()
function(weft_loops target)
    weft_loops_object(weft-loops-${target} ${ARGN})
    if(TARGET OpenMP::OpenMP_C AND TARGET OpenMP::OpenMP_CXX)
        weft_loops_object(weft-loops-${target}-openmp ${ARGN})
        target_link_libraries(weft-loops-${target}-openmp PRIVATE OpenMP::OpenMP_C OpenMP::OpenMP_CXX)
    endif()
endfunction()

file(GLOB bench CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
list(FILTER bench EXCLUDE REGEX "/loops[^/]*$")
if(bench)
    add_executable(weft-bench ${bench})
    target_link_libraries(weft-bench PRIVATE weft weft_includes m ${CMAKE_DL_LIBS})
    target_compile_definitions(weft-bench PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WEFT_BINARY_DIR="${PROJECT_BINARY_DIR}")
    set_target_properties(weft-bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    weft_opens_backend(weft-bench)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        weft_loops(avx512 -march=native -mprefer-vector-width=512)
        weft_loops(avx2 -march=x86-64-v3 -mprefer-vector-width=256)
        weft_loops(sse2 -march=x86-64)
    else()
        weft_loops(aarch64 -mcpu=native)
    endif()
endif()

# The pairs of docs/fast.md.
if(EXISTS ${PROJECT_SOURCE_DIR}/bench/pairs)
    add_executable(weft-pairs ${PROJECT_SOURCE_DIR}/bench/pairs/pairs.c ${PROJECT_SOURCE_DIR}/bench/measure.c)
    target_link_libraries(weft-pairs PRIVATE weft weft_includes)
    target_compile_definitions(weft-pairs PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    weft_opens_backend(weft-pairs)
    set_target_properties(weft-pairs PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()

# StableHLO files that others wrote: beside the library's inside, for the raw entry.
file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/programs/*.c)
if(programs)
    add_executable(weft-programs ${programs} ${PROJECT_SOURCE_DIR}/bench/measure.c)
    target_link_libraries(weft-programs PRIVATE weft_internal)
    target_compile_definitions(weft-programs PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WEFT_BINARY_DIR="${PROJECT_BINARY_DIR}")
    weft_opens_backend(weft-programs)
    set_target_properties(weft-programs PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()

# What parallel loops cost by themselves (docs/threads.md).
if(EXISTS ${PROJECT_SOURCE_DIR}/bench/threads)
    add_executable(weft-regions ${PROJECT_SOURCE_DIR}/bench/threads/regions.c ${PROJECT_SOURCE_DIR}/bench/measure.c)
    target_link_libraries(weft-regions PRIVATE weft_internal)
    target_compile_definitions(weft-regions PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(weft-regions PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
