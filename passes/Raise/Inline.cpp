// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Raise/Inline.h"

#include "passes/Raise/FrontEnds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fa::raising;

/// The callee, where its body can stand in the call's place.
static func::FuncOp inlinable(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee || !callee.isPrivate() || !callee.getBody().hasOneBlock())
    return nullptr;
  // A function that calls itself, directly or not, has no end.
  SmallVector<func::FuncOp> open{callee};
  llvm::DenseSet<Operation *> seen;
  while (!open.empty()) {
    func::FuncOp next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    next.walk([&](func::CallOp inner) {
      if (auto target = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
              inner, inner.getCalleeAttr()))
        open.push_back(target);
      else
        open.push_back(callee);
    });
    bool recursive = false;
    next.walk([&](func::CallOp inner) {
      recursive |= inner.getCallee() == callee.getName();
    });
    if (recursive)
      return nullptr;
  }
  return callee;
}

static void inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

Operation *mlir::fa::raising::cloneInlined(FunctionOpInterface function) {
  bool any = false;
  function->walk([&](func::CallOp call) { any |= bool(inlinable(call)); });
  if (!any)
    return nullptr;
  // Beside the original, so that symbols resolve; without a name of its own it
  // would hide the original.
  OpBuilder builder(function);
  Operation *clone = builder.clone(*function.getOperation());
  cast<FunctionOpInterface>(clone).setName(
      (function.getName() + "$raised").str());
  while (any) {
    any = false;
    SmallVector<func::CallOp> calls;
    clone->walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      if (func::FuncOp callee = inlinable(call)) {
        inlineCall(call, callee);
        any = true;
      }
  }
  return clone;
}

void mlir::fa::raising::takeBody(FunctionOpInterface function,
                                 FunctionOpInterface from) {
  function.getFunctionBody().takeBody(from.getFunctionBody());
}

void mlir::fa::raising::eraseUncalled(ModuleOp module) {
  bool changed = true;
  while (changed) {
    changed = false;
    // Symbol tables do not answer where there are unregistered ops with
    // regions.
    llvm::DenseSet<StringAttr> named;
    module.walk([&](Operation *op) {
      op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
        named.insert(symbol.getRootReference());
      });
    });
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.isPrivate() && !function.isExternal() &&
          !named.contains(function.getSymNameAttr())) {
        function.erase();
        changed = true;
      }
  }
}
