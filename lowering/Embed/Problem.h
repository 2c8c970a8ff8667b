// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attention op among other code as a problem of its own.
#ifndef FA_LOWERING_EMBED_PROBLEM_H
#define FA_LOWERING_EMBED_PROBLEM_H

#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fa {

/// A copy of an attention op in a module of its own, as fa-compile takes it,
/// and the values of the host that stand for its arguments.
struct Problem {
  ModuleOp module;
  /// By their names in the artefact: roles (q, k, ...), and capture0, ... for
  /// what the op's regions read.
  llvm::StringMap<Value> values;
};

/// Makes the problem of `op`; its module is inserted at `b`. Of the scale only
/// the sign is part of it.
Problem liftProblem(AttentionOp op, OpBuilder &b);

/// The entry function of a module at stage `buffers`.
func::FuncOp entryOf(ModuleOp module);

/// The name in the artefact of an argument of that function.
StringRef argumentName(func::FuncOp entry, unsigned number);

} // namespace mlir::fa

#endif // FA_LOWERING_EMBED_PROBLEM_H
