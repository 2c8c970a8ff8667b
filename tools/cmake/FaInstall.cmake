# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The CMake package: what `find_package(Fa)` finds after `cmake --install`. The helper functions install libraries and
# tools; here are the headers, which keep their paths in the repository, and the package's own files.
include(CMakePackageConfigHelpers)

install(DIRECTORY dialect passes lowering DESTINATION ${FA_INCLUDE_DIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${CMAKE_BINARY_DIR}/dialect ${CMAKE_BINARY_DIR}/passes ${CMAKE_BINARY_DIR}/lowering
  DESTINATION ${FA_INCLUDE_DIR}
  FILES_MATCHING PATTERN "*.h.inc" PATTERN CMakeFiles EXCLUDE)

set(FA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Fa)
install(EXPORT FaTargets NAMESPACE Fa:: DESTINATION ${FA_CMAKE_DIR})
install(EXPORT FaRuntimeTargets NAMESPACE Fa:: DESTINATION ${FA_CMAKE_DIR})
set(FA_PACKAGE_LLVM ${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR})
configure_package_config_file(tools/cmake/FaConfig.cmake.in ${CMAKE_BINARY_DIR}/FaConfig.cmake
  INSTALL_DESTINATION ${FA_CMAKE_DIR} PATH_VARS FA_INCLUDE_DIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/FaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/FaConfig.cmake ${CMAKE_BINARY_DIR}/FaConfigVersion.cmake
  DESTINATION ${FA_CMAKE_DIR})
