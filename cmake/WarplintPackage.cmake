# What `cmake --install` puts where, and the Debian package (`cpack -G DEB`). Tools and libraries are installed where they are
# built; here is the rest. Paths are relative: any prefix does, since nothing looks for its files but beside itself.
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_BINDIR bin)
set(config lib/cmake/warplint)
configure_package_config_file(cmake/package/warplintConfig.cmake.in ${CMAKE_BINARY_DIR}/package/warplintConfig.cmake
                              INSTALL_DESTINATION ${config} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/warplintConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/warplintConfig.cmake ${CMAKE_BINARY_DIR}/package/warplintConfigVersion.cmake
              cmake/package/warplint.cmake cmake/package/warplint-step.cmake
        DESTINATION ${config})

install(FILES analyzer/report/warplint-report-1.schema.json DESTINATION share/warplint)
install(FILES README.md DESTINATION share/doc/warplint)
install(DIRECTORY docs examples ci DESTINATION share/doc/warplint)

set(texts ${CMAKE_BINARY_DIR}/package)
set(template ${CMAKE_SOURCE_DIR}/tools/warplint/warplint.1.in)
add_custom_command(OUTPUT ${texts}/warplint.1 ${texts}/warplint.1.gz ${texts}/warplint.bash ${texts}/warplint.zsh ${texts}/warplint.fish
  COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:warplint> -DTEMPLATE=${template} -DOUT=${texts} -DVERSION=${PROJECT_VERSION}
          -DCOMPLETIONS=ON -P ${CMAKE_SOURCE_DIR}/cmake/package/texts.cmake
  DEPENDS warplint ${template} cmake/package/texts.cmake
  VERBATIM)
set(template ${CMAKE_SOURCE_DIR}/tools/replay/warplint-replay.1.in)
add_custom_command(OUTPUT ${texts}/warplint-replay.1 ${texts}/warplint-replay.1.gz
  COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:warplint-replay> -DTEMPLATE=${template} -DOUT=${texts}
          -DVERSION=${PROJECT_VERSION} -P ${CMAKE_SOURCE_DIR}/cmake/package/texts.cmake
  DEPENDS warplint-replay ${template} cmake/package/texts.cmake
  VERBATIM)
add_custom_target(warplint_texts ALL DEPENDS ${texts}/warplint.1 ${texts}/warplint-replay.1)
install(FILES ${texts}/warplint.1.gz ${texts}/warplint-replay.1.gz DESTINATION share/man/man1)
install(FILES ${texts}/warplint.bash DESTINATION share/bash-completion/completions RENAME warplint)
install(FILES ${texts}/warplint.zsh DESTINATION share/zsh/vendor-completions RENAME _warplint)
install(FILES ${texts}/warplint.fish DESTINATION share/fish/vendor_completions.d)

#===-- Debian -------------------------------------------------------------===#
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warplint)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "static analysis of CUDA memory accesses")
set(CPACK_PACKAGE_DESCRIPTION
    "warplint reads CUDA C++ and says, for every memory access of every kernel,\n"
    "what one warp's request costs: transactions, sectors and bank conflicts,\n"
    "and what to write instead. It needs no GPU and no CUDA installation.")
list(JOIN CPACK_PACKAGE_DESCRIPTION "" CPACK_PACKAGE_DESCRIPTION)
set(CPACK_PACKAGE_CONTACT "The warplint developers <warplint@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The headers that every parse reads: Clang's own, and those of C++ and C. clang-22 links what warplint-replay runs.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libclang-common-22-dev, libstdc++-12-dev | libstdc++-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang-22, nvidia-cuda-toolkit")
include(CPack)
