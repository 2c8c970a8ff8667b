// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Stage.h"

#include "dialect/Fa/FaDialect.h"

using namespace mlir;
using namespace mlir::fa;

StringRef mlir::fa::getStage(ModuleOp module) {
  auto attr = module->getAttrOfType<StringAttr>(kStageAttr);
  return attr ? attr.getValue() : "problem";
}

void mlir::fa::setStage(ModuleOp module, StringRef stage) {
  module->setAttr(kStageAttr, StringAttr::get(module.getContext(), stage));
}

/// The first attention op; null where there is none.
static AttentionOp firstAttention(ModuleOp module) {
  AttentionOp first;
  module.walk([&](AttentionOp op) {
    first = op;
    return WalkResult::interrupt();
  });
  return first;
}

/// Whether IR at `stage` has attention ops. The passes that begin there say
/// themselves which form of the op they want.
static bool hasAttention(StringRef stage) {
  return stage == "problem" || stage == "buffers" || stage == "tiled";
}

LogicalResult mlir::fa::expectStage(ModuleOp module,
                                    ArrayRef<StringRef> expected) {
  StringRef stage = getStage(module);
  Location loc = module.getLoc();
  if (module->hasAttr(kStageAttr)) {
    if (llvm::is_contained(expected, stage))
      return success();
  } else {
    AttentionOp attention = firstAttention(module);
    if (!attention || llvm::any_of(expected, hasAttention))
      return success();
    loc = attention.getLoc();
  }
  InFlightDiagnostic diag = emitError(loc);
  diag << "expects IR at stage ";
  llvm::interleave(
      expected, [&](StringRef stage) { diag << stage; },
      [&] { diag << " or "; });
  return diag << ", got " << stage;
}
