# libweft in its flavours, and the back end.
#
# Nearly all files are compiled once. The few that name one of the settings below are compiled once per flavour:
#   weft_internal   for tests and tools: a static library in which every symbol is visible; back end of the build tree, checks between passes
#   weft            for examples and bench in the build tree: the shared library; back end of the build tree
#   weft_installed, weft_static, weft_dump_installed: what `install` copies, made in build/stage; back end of the install tree
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBFFI REQUIRED IMPORTED_TARGET libffi)
find_package(Threads REQUIRED)

file(GLOB_RECURSE WEFT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiler/*.c ${PROJECT_SOURCE_DIR}/runtime/*.c)
list(FILTER WEFT_SOURCES EXCLUDE REGEX "/compiler/llvm/")
file(GLOB_RECURSE WEFT_LLVM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiler/llvm/*.c)
file(GLOB WEFT_TOOL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*.c)

# libweft and its back end share structs and code in compiler/, so each refuses another build of the other.
file(GLOB_RECURSE hashed CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiler/*.[ch]
     ${PROJECT_SOURCE_DIR}/compiler/*.def ${PROJECT_SOURCE_DIR}/runtime/process/*.[ch])
set(hashes ${PROJECT_VERSION} ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION})
foreach(file IN LISTS hashed)
    file(SHA256 ${file} hash)
    list(APPEND hashes ${hash})
endforeach()
string(SHA256 WEFT_BUILD_ID "${hashes}")
string(SUBSTRING ${WEFT_BUILD_ID} 0 16 WEFT_BUILD_ID)

set(WEFT_SETTINGS "WEFT_(BACKEND_PATH|BUILD_ID|CHECKS|VERSION_TEXT)")
set(WEFT_BACKEND_BUILT ${PROJECT_BINARY_DIR}/weft/libweft-llvm.so)
set(WEFT_BACKEND_INSTALLED ${CMAKE_INSTALL_FULL_LIBDIR}/weft/libweft-llvm.so)

add_library(weft_includes INTERFACE)
target_include_directories(weft_includes INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
target_link_libraries(weft_includes INTERFACE PkgConfig::LIBFFI Threads::Threads ${CMAKE_DL_LIBS} m)

# weft_objects(name out sources...): an object library, or nothing where there are no sources; out gets the generator expression.
function(weft_objects name out)
    if(ARGN)
        add_library(${name} OBJECT ${ARGN})
        target_link_libraries(${name} PRIVATE weft_includes)
        set(${out} $<TARGET_OBJECTS:${name}> PARENT_SCOPE)
    else()
        set(${out} "" PARENT_SCOPE)
    endif()
endfunction()

# Eager mode and sorts are plain loops, fast where the compiler makes vectors of them: gcc's -O2 does not when it cannot know the trip count,
# nor where errno or a floating-point trap might be seen.
file(GLOB eager_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/eager/*.c ${PROJECT_SOURCE_DIR}/compiler/scalar/kernels*.c
    ${PROJECT_SOURCE_DIR}/runtime/library/sorts/library_sort.c ${PROJECT_SOURCE_DIR}/runtime/library/sorts/sort_*.c ${PROJECT_SOURCE_DIR}/runtime/library/matrix_kernels.c ${PROJECT_SOURCE_DIR}/runtime/library/matrix_schur.c ${PROJECT_SOURCE_DIR}/runtime/library/lapack.c)
set_source_files_properties(${eager_sources} PROPERTIES COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3>;-fno-math-errno;-fno-trapping-math")
# Products of complex numbers as one writes them, without a call that looks for inf.
set_source_files_properties(${PROJECT_SOURCE_DIR}/runtime/library/matrix_complex.c PROPERTIES COMPILE_OPTIONS
    "$<$<NOT:$<CONFIG:Debug>>:-O3>;-fno-math-errno;-fno-trapping-math;-fcx-limited-range")

set(common_sources ${PROJECT_SOURCE_DIR}/cmake/nothing.c)
set(flavoured_sources "")
foreach(file IN LISTS WEFT_SOURCES)
    file(STRINGS ${file} named REGEX "${WEFT_SETTINGS}" LIMIT_COUNT 1)
    if(named)
        list(APPEND flavoured_sources ${file})
    else()
        list(APPEND common_sources ${file})
    endif()
endforeach()
weft_objects(weft_common WEFT_COMMON ${common_sources})

# weft_flavour(name out backend_path checks): the files that name a setting, compiled with these values.
function(weft_flavour name out path checks)
    weft_objects(${name} objects ${flavoured_sources})
    if(objects)
        target_compile_definitions(${name} PRIVATE WEFT_BACKEND_PATH="${path}" WEFT_BUILD_ID="${WEFT_BUILD_ID}"
                                   WEFT_VERSION_TEXT="${PROJECT_VERSION}" $<$<BOOL:${checks}>:WEFT_CHECKS=1>)
    endif()
    set(${out} ${objects} PARENT_SCOPE)
endfunction()
weft_flavour(weft_checked  WEFT_CHECKED "${WEFT_BACKEND_BUILT}" ON)
weft_flavour(weft_built    WEFT_BUILT   "${WEFT_BACKEND_BUILT}" ${WEFT_CHECKS})
weft_flavour(weft_placed   WEFT_PLACED  "${WEFT_BACKEND_INSTALLED}" ${WEFT_CHECKS})

add_library(weft_internal STATIC ${WEFT_COMMON} ${WEFT_CHECKED})
target_link_libraries(weft_internal PUBLIC weft_includes)

function(weft_shared name folder)
    add_library(${name} SHARED ${ARGN})
    set_target_properties(${name} PROPERTIES OUTPUT_NAME weft VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME weft
                          LIBRARY_OUTPUT_DIRECTORY ${folder} LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${name} PRIVATE PkgConfig::LIBFFI Threads::Threads ${CMAKE_DL_LIBS} m)
    target_link_options(${name} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map ${WEFT_CLOSED}
                        -Wl,-z,nodelete)    # threads may run in it, or end in it, after the last dlclose
endfunction()
weft_shared(weft ${PROJECT_BINARY_DIR} ${WEFT_COMMON} ${WEFT_BUILT})
weft_shared(weft_installed ${PROJECT_BINARY_DIR}/stage ${WEFT_COMMON} ${WEFT_PLACED})

# A user's own graph_append must not replace ours: link into one object, then make all but weft_* local.
set(WEFT_ARCHIVE ${PROJECT_BINARY_DIR}/stage/libweft.a)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/stage)
add_custom_command(OUTPUT ${WEFT_ARCHIVE}
    COMMAND ${CMAKE_LINKER} -r -o stage/weft.o ${WEFT_COMMON} ${WEFT_PLACED}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=weft_* stage/weft.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${WEFT_ARCHIVE}
    COMMAND ${CMAKE_AR} rcs ${WEFT_ARCHIVE} stage/weft.o
    DEPENDS ${WEFT_COMMON} ${WEFT_PLACED}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(weft_static ALL DEPENDS ${WEFT_ARCHIVE})

# The back end has its own copy of what it uses of compiler/: it is opened with RTLD_LOCAL and calls nothing of libweft.
if(WEFT_HAVE_LLVM AND WEFT_LLVM_SOURCES)
    add_library(weft_llvm_objects OBJECT ${WEFT_LLVM_SOURCES})
    target_include_directories(weft_llvm_objects SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
    target_compile_definitions(weft_llvm_objects PRIVATE WEFT_BUILD_ID="${WEFT_BUILD_ID}")
    target_link_libraries(weft_llvm_objects PRIVATE weft_includes)

    add_library(weft_llvm_internal INTERFACE)       # for tests that look inside it
    target_link_libraries(weft_llvm_internal INTERFACE $<TARGET_OBJECTS:weft_llvm_objects> LLVM)
    target_include_directories(weft_llvm_internal SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
    add_dependencies(weft_llvm_internal weft_llvm_objects)

    add_library(weft_llvm MODULE $<TARGET_OBJECTS:weft_llvm_objects>)
    target_link_libraries(weft_llvm PRIVATE weft_internal LLVM)
    set_target_properties(weft_llvm PROPERTIES OUTPUT_NAME weft-llvm LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/weft INSTALL_RPATH_USE_LINK_PATH ON
                          LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/backend.map)
    # Another path for the build tree CMake would pad with ":", which is the current folder.
    set_target_properties(weft_llvm PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
    target_link_options(weft_llvm PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/backend.map ${WEFT_CLOSED})
endif()

# The back end as a process of its own, beside it.
if(TARGET weft_llvm)
    add_executable(weft_compile ${PROJECT_SOURCE_DIR}/tools/compile/main.c $<TARGET_OBJECTS:weft_llvm_objects>)
    target_link_libraries(weft_compile PRIVATE weft_internal LLVM)
    set_target_properties(weft_compile PROPERTIES OUTPUT_NAME weft-compile INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/weft)
    add_dependencies(weft_llvm weft_compile)
endif()

# Whoever runs what opens the back end gets it built, too.
function(weft_opens_backend name)
    if(TARGET weft_llvm)
        add_dependencies(${name} weft_llvm)
    endif()
endfunction()

if(WEFT_TOOL_SOURCES)
    add_executable(weft-dump ${WEFT_TOOL_SOURCES})
    target_link_libraries(weft-dump PRIVATE weft_internal)
    weft_opens_backend(weft-dump)
    set_target_properties(weft-dump PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    add_executable(weft_dump_installed ${WEFT_TOOL_SOURCES} ${WEFT_COMMON} ${WEFT_PLACED})
    target_link_libraries(weft_dump_installed PRIVATE weft_includes)
    set_target_properties(weft_dump_installed PROPERTIES OUTPUT_NAME weft-dump RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stage)
    target_compile_definitions(weft-dump PRIVATE WEFT_VERSION_TEXT="${PROJECT_VERSION}")
    target_compile_definitions(weft_dump_installed PRIVATE WEFT_VERSION_TEXT="${PROJECT_VERSION}")
endif()
