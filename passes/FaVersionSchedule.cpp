// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// buffers: an entry function for each of an op's versions. From here on each is
// compiled by itself, and becomes a kernel with the version's conditions.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAVERSIONSCHEDULE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// `NAME`, with what sets the version's kernel apart.
static std::string nameOf(StringRef name, VersionAttr version) {
  std::string result = name.str();
  if (version.getMostKeys())
    result += "_short";
  if (version.getTma())
    result += "_tma";
  if (version.getWide())
    result += "_wide";
  return result;
}

/// The versions that some launch can take: of the conditions on the number of
/// keys, those that the op's type does not decide.
static SmallVector<VersionAttr> reachable(AttentionOp op, ArrayAttr versions) {
  int64_t keys = op.isPacked() ? ShapedType::kDynamic
                               : op.getKType().getDimSize(op.getSeqDim());
  SmallVector<VersionAttr> left;
  for (auto version : versions.getAsRange<VersionAttr>()) {
    int64_t most = version.getMostKeys();
    if (most &&
        (op.isPacked() || (!ShapedType::isDynamic(keys) && keys > most)))
      continue;
    if (most && !ShapedType::isDynamic(keys))
      version = VersionAttr::get(op.getContext(), version.getSchedule(),
                                 version.getTma(), /*most_keys=*/0,
                                 version.getWide());
    if (!left.empty() && left.back().getMostKeys() == 0 && version.getTma())
      continue;
    left.push_back(version);
  }
  return left;
}

namespace {
struct VersionSchedulePass
    : mlir::fa::impl::FaVersionScheduleBase<VersionSchedulePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"buffers"})))
      return signalPassFailure();
    SmallVector<AttentionOp> ops;
    module.walk([&](AttentionOp op) {
      if (op->hasAttr(kVersionsAttr))
        ops.push_back(op);
    });
    for (AttentionOp op : ops) {
      auto versions = op->getAttrOfType<ArrayAttr>(kVersionsAttr);
      auto entry = dyn_cast<func::FuncOp>(op->getParentOp());
      if (!versions || versions.empty() || !entry ||
          !llvm::all_of(versions, llvm::IsaPred<VersionAttr>)) {
        op.emitOpError() << "expects fa.versions to be a list of #fa.version, "
                            "and to stand at the top of a function";
        return signalPassFailure();
      }
      split(entry, op, reachable(op, versions));
    }
  }

private:
  static void split(func::FuncOp entry, AttentionOp op,
                    ArrayRef<VersionAttr> versions) {
    op->removeAttr(kVersionsAttr);
    OpBuilder b(entry);
    std::string name = entry.getSymName().str();
    for (VersionAttr version : versions) {
      op.setScheduleAttr(version.getSchedule());
      auto made = cast<func::FuncOp>(b.clone(*entry));
      made.setSymName(nameOf(name, version));
      made->setAttr(kEntryAttr, b.getStringAttr(name));
      if (version.getTma())
        made->setAttr(kTmaAttr, b.getUnitAttr());
      if (version.getWide())
        made->setAttr(kWideAttr, b.getUnitAttr());
      if (version.getMostKeys())
        made->setAttr(kMostKeysAttr,
                      b.getI64IntegerAttr(version.getMostKeys()));
    }
    entry.erase();
  }
};
} // namespace
