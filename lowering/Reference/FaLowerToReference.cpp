// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// buffers -> reference: two kernels from one entry function, each the op's
// definition as one loop nest.
#include "lowering/Reference/Definition.h"
#include "lowering/Reference/Passes.h"
#include "passes/ManifestBuilder.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FALOWERTOREFERENCE
#include "lowering/Reference/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Makes o and lse of `entry` f64.
static void widenOutputs(func::FuncOp entry) {
  Type f64 = Float64Type::get(entry.getContext());
  for (BlockArgument argument : entry.getArguments()) {
    auto tensor = entry.getArgAttrOfType<TensorAttr>(argument.getArgNumber(),
                                                     kTensorAttr);
    if (tensor && tensor.getOutput())
      argument.setType(cast<MemRefType>(argument.getType()).clone(f64));
  }
  entry.setFunctionType(FunctionType::get(
      entry.getContext(), entry.getBody().front().getArgumentTypes(), {}));
}

/// The entry function says that this is the definition.
static void markAsReference(func::FuncOp entry) {
  auto problem = entry->getAttrOfType<DictionaryAttr>(kProblemAttr);
  NamedAttrList fields(problem);
  fields.set("reference", BoolAttr::get(entry.getContext(), true));
  entry->setAttr(kProblemAttr, fields.getDictionary(entry.getContext()));
}

static LogicalResult lower(AttentionOp op) {
  if (!op.isBufferized())
    return op.emitOpError("expects memrefs (stage buffers), got ")
           << op.getQ().getType();
  if (op.isTile())
    return op.emitOpError("expects the whole problem, got a tile of it");
  auto entry = dyn_cast<func::FuncOp>(op->getParentOp());
  if (!entry)
    return op.emitOpError("expects to stand directly in a func.func");
  markAsReference(entry);
  OpBuilder builder(entry);
  auto writeKernel = [&](StringRef name, FloatType wide, bool low) {
    auto kernel = cast<func::FuncOp>(builder.clone(*entry));
    kernel.setSymName(name);
    widenOutputs(kernel);
    AttentionOp copy = *kernel.getOps<AttentionOp>().begin();
    Definition(copy, wide, low).build();
    copy.erase();
  };
  writeKernel("reference", builder.getF64Type(), /*low=*/false);
  writeKernel("low", builder.getF32Type(), /*low=*/true);
  entry.erase();
  return success();
}

namespace mlir::fa {
namespace {
struct LowerToReference : impl::FaLowerToReferenceBase<LowerToReference> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"buffers"})))
      return signalPassFailure();
    SmallVector<AttentionOp> ops;
    module.walk([&](AttentionOp op) { ops.push_back(op); });
    if (ops.size() != 1) {
      module.emitError("expects one fa.attention, found ") << ops.size();
      return signalPassFailure();
    }
    if (failed(lower(ops.front())))
      return signalPassFailure();
    setStage(module, "reference");
  }
};
} // namespace
} // namespace mlir::fa
