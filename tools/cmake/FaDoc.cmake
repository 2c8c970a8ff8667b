# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The target fa-doc: references of the dialects and the passes as Markdown in build/docs, made from the .td files.
add_custom_target(fa-doc ALL)

# fa_add_doc(OUTPUT.md FILE.td tblgen-options...)
function(fa_add_doc output td)
  set(path ${CMAKE_BINARY_DIR}/docs/${output})
  set(includes ${CMAKE_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
  list(TRANSFORM includes PREPEND -I)
  file(GLOB_RECURSE sources ${CMAKE_SOURCE_DIR}/dialect/*.td)
  add_custom_command(OUTPUT ${path}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/docs
    COMMAND mlir-tblgen ${ARGN} ${includes} ${CMAKE_SOURCE_DIR}/${td} -o ${path}
    DEPENDS ${CMAKE_SOURCE_DIR}/${td} ${sources}
    VERBATIM)
  string(MAKE_C_IDENTIFIER fa-doc-${output} target)
  add_custom_target(${target} DEPENDS ${path})
  add_dependencies(fa-doc ${target})
endfunction()

fa_add_doc(dialect-fa.md dialect/Fa/FaOps.td -gen-dialect-doc -dialect=fa)
fa_add_doc(dialect-wg.md dialect/Wg/WgOps.td -gen-dialect-doc -dialect=wg)
fa_add_doc(passes.md passes/Passes.td -gen-pass-doc)
fa_add_doc(passes-cpu.md lowering/Cpu/Passes.td -gen-pass-doc)
fa_add_doc(passes-embed.md lowering/Embed/Passes.td -gen-pass-doc)
fa_add_doc(passes-nvvm.md lowering/WgToNvvm/Passes.td -gen-pass-doc)
fa_add_doc(passes-ptx.md lowering/Ptx/Passes.td -gen-pass-doc)
fa_add_doc(passes-raise.md passes/Raise/Passes.td -gen-pass-doc)
fa_add_doc(passes-reference.md lowering/Reference/Passes.td -gen-pass-doc)
