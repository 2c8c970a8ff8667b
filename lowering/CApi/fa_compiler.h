/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The compiler as a C library, libfa_compiler: MLIR text in, the bytes of an
 * artefact out. No MLIR header is needed; FaMlir.h beside this one is for
 * programs that hold an MlirModule.
 *
 *   fa_compilation *c = fa_compile(text, size, "a.mlir", "sm_80", NULL);
 *   if (fa_compilation_ok(c))
 *     fwrite(fa_compilation_bytes(c), 1, fa_compilation_size(c), file);
 *   else
 *     fputs(fa_compilation_messages(c), stderr);
 *   fa_compilation_destroy(c);
 *
 * Every call may be made from any thread at any time, and several compilations
 * may run at once. What a compilation hands out lives as long as it does.
 */
#ifndef FA_COMPILER_H
#define FA_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FA_COMPILER_API __attribute__((visibility("default")))
#else
#define FA_COMPILER_API
#endif

/* The version of this interface: 1000 * major + minor. Minor versions only add.
 */
#define FA_COMPILER_VERSION 1000

/* The outcome of one compilation: an artefact, or the reasons why not. */
typedef struct fa_compilation fa_compilation;

/* FA_COMPILER_VERSION of the library that is running. */
FA_COMPILER_API uint32_t fa_compiler_version(void);

/* What compiles: "fa-compile 0.1.0", as a manifest's "producer" has it. A cache
 * of artefacts keys on this, the text, the chip and the options: equal ones
 * give equal bytes. */
FA_COMPILER_API const char *fa_compiler_producer(void);

/* The chips that fa_compile takes, separated by ", ". */
FA_COMPILER_API const char *fa_compiler_chips(void);

/* Compiles a module with one fa.attention, like the program fa-compile.
 *   text, size  the MLIR text; no NUL needs to end it
 *   name        what messages call the text ("attention.mlir"); NULL: "<input>"
 *   chip        "sm_80", "sm_90a", ..., or "cpu"; NULL or "": the options'
 *               chip, "sm_80" where they name none. Two different ones are
 *               refused.
 *   options     of the pass fa-emit-artifact, separated by spaces ("cpu=native
 *               entry=f key-tile=64 skip=masked,pipelined"); NULL: none
 * Never returns NULL: what went wrong is in the messages. */
FA_COMPILER_API fa_compilation *fa_compile(const char *text, size_t size,
                                           const char *name, const char *chip,
                                           const char *options);

/* 1 where there is an artefact, else 0. */
FA_COMPILER_API int32_t fa_compilation_ok(const fa_compilation *compilation);

/* Errors, warnings and remarks, each as "NAME:LINE:COLUMN: error: TEXT" with
 * the line of the text that it is about below it; "" where there are none. */
FA_COMPILER_API const char *
fa_compilation_messages(const fa_compilation *compilation);

/* The artefact: PTX text with its manifest, or an ELF shared object. A NUL that
 * is not counted follows the last byte. NULL and 0 where there is none. */
FA_COMPILER_API const void *
fa_compilation_bytes(const fa_compilation *compilation);
/* The number of those bytes. */
FA_COMPILER_API size_t fa_compilation_size(const fa_compilation *compilation);

/* NULL is allowed. */
FA_COMPILER_API void fa_compilation_destroy(fa_compilation *compilation);

#ifdef __cplusplus
}
#endif

#endif /* FA_COMPILER_H */
