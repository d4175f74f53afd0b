# Headers, libraries, back end, weft-dump, pkg-config file, CMake package, man page.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS weft_installed EXPORT weft LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${WEFT_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET weft_llvm)
    install(TARGETS weft_llvm weft_compile LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft
                                           RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft)
endif()
if(TARGET weft_dump_installed)
    install(PROGRAMS $<TARGET_FILE:weft_dump_installed> DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/docs/weft-dump.1)
    install(FILES ${PROJECT_SOURCE_DIR}/docs/weft-dump.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# From where weft.pc is: the tree may be moved.
file(RELATIVE_PATH WEFT_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft.pc.in ${PROJECT_BINARY_DIR}/stage/weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stage/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT weft NAMESPACE weft:: FILE weft-targets.cmake DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weft-config.cmake.in ${PROJECT_BINARY_DIR}/stage/weft-config.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stage/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stage/weft-config.cmake ${PROJECT_BINARY_DIR}/stage/weft-config-version.cmake DESTINATION ${package})
