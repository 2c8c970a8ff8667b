// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Stage.h"

#include "dialect/Fa/FaDialect.h"

using namespace mlir;

StringRef mlir::fa::getStage(ModuleOp module) {
  auto attr = module->getAttrOfType<StringAttr>(kStageAttr);
  return attr ? attr.getValue() : "problem";
}

void mlir::fa::setStage(ModuleOp module, StringRef stage) {
  module->setAttr(kStageAttr, StringAttr::get(module.getContext(), stage));
}

LogicalResult mlir::fa::expectStage(ModuleOp module,
                                    ArrayRef<StringRef> expected) {
  if (!module->hasAttr(kStageAttr) ||
      llvm::is_contained(expected, getStage(module)))
    return success();
  InFlightDiagnostic diag = module.emitError();
  diag << "expects IR at stage ";
  llvm::interleave(
      expected, [&](StringRef stage) { diag << stage; },
      [&] { diag << " or "; });
  return diag << ", got " << getStage(module);
}
