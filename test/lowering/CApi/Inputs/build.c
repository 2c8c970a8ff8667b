/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds a module with an fa.attention by MLIR's C API, prints and compiles it,
 * and tries what the builders have to refuse. */
#include "lowering/CApi/FaMlir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"

#include <stdio.h>
#include <stdlib.h>

static void print_text(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, file);
}

static MlirLogicalResult report(MlirDiagnostic diagnostic, void *data) {
  (void)data;
  fputs("diagnostic: ", stdout);
  mlirDiagnosticPrint(diagnostic, print_text, stdout);
  fputs("\n", stdout);
  return mlirLogicalResultSuccess();
}

static MlirStringRef str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static MlirType memref(MlirContext context, int64_t rows) {
  int64_t shape[4] = {1, 2, 0, 64};
  shape[2] = rows;
  return mlirMemRefTypeContiguousGet(mlirF16TypeGet(context), 4, shape,
                                     mlirAttributeGetNull());
}

/* func.func @NAME(q, k, v, o) with an empty body */
static MlirOperation make_function(MlirContext context, MlirLocation loc,
                                   MlirBlock body) {
  MlirType types[4];
  MlirNamedAttribute attributes[2];
  MlirOperationState state = mlirOperationStateGet(str("func.func"), loc);
  MlirRegion region = mlirRegionCreate();
  int i;
  for (i = 0; i < 4; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
  attributes[0] =
      mlirNamedAttributeGet(mlirIdentifierGet(context, str("sym_name")),
                            mlirStringAttrGet(context, str("attention")));
  attributes[1] = mlirNamedAttributeGet(
      mlirIdentifierGet(context, str("function_type")),
      mlirTypeAttrGet(mlirFunctionTypeGet(context, 4, types, 0, NULL)));
  mlirRegionAppendOwnedBlock(region, body);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirOperationStateAddAttributes(&state, 2, attributes);
  return mlirOperationCreate(&state);
}

static MlirBlock make_block(MlirContext context, MlirLocation loc) {
  MlirType types[4];
  MlirLocation locs[4];
  int i;
  for (i = 0; i < 4; ++i) {
    types[i] = memref(context, i == 1 || i == 2 ? 48 : 32);
    locs[i] = loc;
  }
  return mlirBlockCreate(4, types, locs);
}

/* What has to be null: each says why to the handler. */
static void try_refusals(MlirContext context, MlirLocation loc,
                         MlirFaAttention good) {
  MlirFaAttention bad = good;
  bad.k.ptr = NULL;
  if (!mlirOperationIsNull(mlirFaAttentionCreate(loc, &bad)))
    exit(1);
  bad = good;
  bad.mask = mlirUnitAttrGet(context);
  if (!mlirOperationIsNull(mlirFaAttentionCreate(loc, &bad)))
    exit(1);
  bad = good;
  bad.v = good.q; /* other keys than k has */
  if (!mlirOperationIsNull(mlirFaAttentionCreate(loc, &bad)))
    exit(1);
  bad.v.ptr = NULL;
  if (!mlirOperationIsNull(mlirFaYieldCreate(loc, bad.v)) ||
      !mlirOperationIsNull(mlirFaAttentionCreate(loc, NULL)))
    exit(1);
  loc.ptr = NULL;
  context.ptr = NULL;
  if (!mlirOperationIsNull(mlirFaYieldCreate(loc, good.v)) ||
      !mlirOperationIsNull(mlirFaAttentionCreate(loc, &good)) ||
      !mlirAttributeIsNull(mlirFaMaskAttrGet(context, 1, 1, -1, -1)) ||
      !mlirAttributeIsNull(mlirFaLayoutAttrGet(context, 1)))
    exit(1);
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  MlirContext context = mlirContextCreate();
  MlirLocation loc = mlirLocationUnknownGet(context);
  MlirModule module;
  MlirBlock body;
  MlirOperation op, end;
  MlirOperationState ret;
  fa_compilation *c;
  int ok;
  mlirFaRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirContextLoadAllAvailableDialects(context);
  mlirFaRegisterPasses();
  mlirContextAttachDiagnosticHandler(context, report, NULL, NULL);

  module = mlirModuleCreateEmpty(loc);
  body = make_block(context, loc);
  /* embed: begin builder */
  MlirFaAttention attention = {0};
  attention.q = mlirBlockGetArgument(body, 0);
  attention.k = mlirBlockGetArgument(body, 1);
  attention.v = mlirBlockGetArgument(body, 2);
  attention.output = mlirBlockGetArgument(body, 3);
  attention.mask = mlirFaMaskAttrGet(context, /*bottomRight=*/true,
                                     /*causal=*/true, /*left=*/-1,
                                     /*right=*/-1);
  op = mlirFaAttentionCreate(loc, &attention);
  /* embed: end builder */
  if (mlirOperationIsNull(op) || !mlirAttributeIsAFaMask(attention.mask))
    return 1;
  try_refusals(context, loc, attention);
  mlirBlockAppendOwnedOperation(body, op);
  ret = mlirOperationStateGet(str("func.return"), loc);
  end = mlirOperationCreate(&ret);
  mlirBlockAppendOwnedOperation(body, end);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module),
                                make_function(context, loc, body));

  c = mlirFaCompileModule(module, str("sm_80"), str(""));
  ok = fa_compilation_ok(c);
  fputs(fa_compilation_messages(c), stdout);
  mlirOperationPrint(mlirModuleGetOperation(module), print_text, stdout);
  if (ok)
    fputs(fa_compilation_bytes(c), stdout);
  fa_compilation_destroy(c);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return !ok;
}
