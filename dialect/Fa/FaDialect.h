// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `fa` dialect: the attention problem.
#ifndef FA_DIALECT_FA_FADIALECT_H
#define FA_DIALECT_FA_FADIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "dialect/Fa/FaDialect.h.inc"
#include "dialect/Fa/FaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Fa/FaAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialect/Fa/FaOps.h.inc"

namespace mlir::fa {
/// Lets one-shot bufferization turn the tensor form of `fa.attention` into its
/// memref form.
void registerBufferizableOpInterface(DialectRegistry &registry);

/// Name of the module attribute that says which stage a text is at.
inline constexpr llvm::StringLiteral kStageAttr = "fa.stage";
/// Name of the argument attribute that names a capture, e.g. "bias".
inline constexpr llvm::StringLiteral kNameAttr = "fa.name";
/// Name of the argument attribute that holds a `#fa.tensor`.
inline constexpr llvm::StringLiteral kTensorAttr = "fa.tensor";
/// Name of an attention op's attribute with its `#fa.version`s, where it is to
/// be compiled with several schedules.
inline constexpr llvm::StringLiteral kVersionsAttr = "fa.versions";
} // namespace mlir::fa

#endif // FA_DIALECT_FA_FADIALECT_H
