# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The helper functions that the folders' CMakeLists.txt use.

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(FA_SANITIZE)
  add_compile_options(-fsanitize=${FA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FA_SANITIZE})
  # The sanitizer's run-time library is in the executables only.
  string(APPEND CMAKE_SHARED_LINKER_FLAGS " -Wl,-z,undefs")
  string(APPEND CMAKE_MODULE_LINKER_FLAGS " -Wl,-z,undefs")
endif()

# MLIR's and LLVM's shared libraries, and nothing finer. FaConfig.cmake adds the headers of the LLVM that it finds.
add_library(FaMlir INTERFACE)
target_link_libraries(FaMlir INTERFACE MLIR LLVM)
install(TARGETS FaMlir EXPORT FaTargets)

# fa_add_mlir_library(NAME sources... [DEPENDS targets...] [LINK_LIBS libs...] [PCH headers...])
# A library that uses MLIR.
function(fa_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;PCH" ${ARGN})
  fa_add_plain_library(${name} ${ARG_UNPARSED_ARGUMENTS} LINK_LIBS ${ARG_LINK_LIBS} FaMlir)
  fa_no_rtti_if_llvm_has_none(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_PCH)
    target_precompile_headers(${name} PRIVATE ${ARG_PCH})
  endif()
endfunction()

# fa_add_plain_library(NAME sources... [LINK_LIBS libs...] [NOT_INSTALLED]): a library without MLIR and LLVM.
function(fa_add_plain_library name)
  cmake_parse_arguments(ARG "NOT_INSTALLED" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${FA_INCLUDE_DIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  if(NOT ARG_NOT_INSTALLED)
    install(TARGETS ${name} EXPORT FaTargets)
  endif()
endfunction()

# fa_add_tool(NAME sources... [LINK_LIBS libs...] [NOT_INSTALLED]): an executable in build/bin.
function(fa_add_tool name)
  cmake_parse_arguments(ARG "NOT_INSTALLED" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  fa_no_rtti_if_llvm_has_none(${name})
  if(NOT ARG_NOT_INSTALLED)
    install(TARGETS ${name})
  endif()
endfunction()

function(fa_no_rtti_if_llvm_has_none name)
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${name} PRIVATE -fno-rtti)
  endif()
endfunction()

# fa_tablegen(TARGET file.td output generator [output generator ...]): runs mlir-tblgen; outputs land beside the
# file's path in the build tree.
function(fa_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  list(LENGTH ARGN n)
  math(EXPR last "${n} - 1")
  foreach(i RANGE 0 ${last} 2)
    math(EXPR j "${i} + 1")
    list(GET ARGN ${i} output)
    list(GET ARGN ${j} generator)
    string(REPLACE " " ";" generator "${generator}")
    mlir_tablegen(${output} ${generator} EXTRA_INCLUDES ${CMAKE_SOURCE_DIR})
  endforeach()
  add_public_tablegen_target(${target})
endfunction()
