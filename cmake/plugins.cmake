# libweft-pjrt.so: weft as a device of JAX's, over libweft's public door. It stands beside libweft.so.
file(GLOB pjrt_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/plugins/pjrt/*.c)
add_library(weft_pjrt MODULE ${pjrt_sources})
target_link_libraries(weft_pjrt PRIVATE weft Threads::Threads)
target_include_directories(weft_pjrt SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/third_party)
target_include_directories(weft_pjrt PRIVATE ${PROJECT_SOURCE_DIR}/plugins/pjrt)
target_compile_definitions(weft_pjrt PRIVATE PLUGIN_VERSION="${PROJECT_VERSION}")
target_compile_options(weft_pjrt PRIVATE -fvisibility=hidden)
set_target_properties(weft_pjrt PROPERTIES OUTPUT_NAME weft-pjrt LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
target_link_options(weft_pjrt PRIVATE ${WEFT_CLOSED} -Wl,-z,nodelete)
