/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The fa dialect for programs that use MLIR's C API: registration, compilation
 * of an MlirModule, and builders. Functions that make something return a null
 * object on bad input and report why to the context's diagnostic handlers (but
 * for a null location or context, which leaves nobody to tell).
 *
 * libfa_compiler holds these functions; MLIR's own come from the program, over
 * the same shared library of MLIR.
 */
#ifndef FA_MLIR_H
#define FA_MLIR_H

#include "lowering/CApi/fa_compiler.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Registration ---------------------------------------------------------
 */

/* mlirGetDialectHandle__fa__(), mlirGetDialectHandle__wg__() */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Fa, fa);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Wg, wg);

/* Adds both dialects, and those of MLIR that their passes lead to, with the
 * interfaces that the passes need. */
MLIR_CAPI_EXPORTED void mlirFaRegisterAllDialects(MlirDialectRegistry registry);

/* Registers the passes and pipelines by their names, for
 * mlirParsePassPipeline. MLIR's own are not among them. May be called again. */
MLIR_CAPI_EXPORTED void mlirFaRegisterPasses(void);

/* ---- Compilation ----------------------------------------------------------
 */

/* fa_compile for a module that is there already, which stays as it is. The
 * messages go to the context's handlers, too. */
MLIR_CAPI_EXPORTED fa_compilation *mlirFaCompileModule(MlirModule module,
                                                       MlirStringRef chip,
                                                       MlirStringRef options);

/* ---- Attributes -----------------------------------------------------------
 */

/* #fa.mask. left and right count keys; a negative one is no bound. */
MLIR_CAPI_EXPORTED MlirAttribute mlirFaMaskAttrGet(MlirContext context,
                                                   bool bottomRight,
                                                   bool causal, int64_t left,
                                                   int64_t right);
/* Null is none. */
MLIR_CAPI_EXPORTED bool mlirAttributeIsAFaMask(MlirAttribute attribute);

/* #fa.layout: bhsd, or bshd. */
MLIR_CAPI_EXPORTED MlirAttribute mlirFaLayoutAttrGet(MlirContext context,
                                                     bool bshd);
/* Null is none. */
MLIR_CAPI_EXPORTED bool mlirAttributeIsAFaLayout(MlirAttribute attribute);

/* ---- Operations -----------------------------------------------------------
 */

/* An fa.attention. All of it but q, k, v and output may be left at zero: a null
 * value, attribute or region is an absent one. */
typedef struct MlirFaAttention {
  MlirValue q, k, v;
  MlirValue output, lse; /* destinations */
  MlirValue qLengths, kvLengths;
  MlirValue qOffsets, kvOffsets;
  MlirValue sink;
  MlirValue scaleValue;
  MlirAttribute scale; /* an f32 attribute */
  MlirAttribute mask;
  MlirAttribute layout;
  MlirRegion score, keep; /* handed over, also where the op is refused */
} MlirFaAttention;

/* A detached op that has been verified, with a result for each destination that
 * is a tensor. */
MLIR_CAPI_EXPORTED MlirOperation
mlirFaAttentionCreate(MlirLocation location, const MlirFaAttention *attention);

/* fa.yield, which ends a region with its value. */
MLIR_CAPI_EXPORTED MlirOperation mlirFaYieldCreate(MlirLocation location,
                                                   MlirValue value);

#ifdef __cplusplus
}
#endif

#endif /* FA_MLIR_H */
