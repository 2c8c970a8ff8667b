// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/CheckInput.h"

#include "dialect/Fa/FaDialect.h"
#include "passes/CheckManifest.h"
#include "passes/ManifestBuilder.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// What some of the options are about.
struct Given {
  SmallVector<StringRef> gpuSchedule, schedule, entry;

  explicit Given(const CompileOptions &options) {
    auto add = [](SmallVector<StringRef> &list, bool given, StringRef flag) {
      if (given)
        list.push_back(flag);
    };
    add(gpuSchedule, options.warps != 0, "--warps");
    add(gpuSchedule, options.stages != 0, "--stages");
    add(schedule, options.queryTile != 0, "--query-tile");
    add(schedule, options.keyTile != 0, "--key-tile");
    add(schedule, !options.mask.empty(), "--mask");
    add(schedule, !options.schedule.empty(), "--schedule");
    schedule.append(gpuSchedule);
    add(entry, !options.entry.empty(), "--entry");
  }
};
} // namespace

/// `flags` would do nothing, and this is why.
static LogicalResult refuse(ModuleOp module, ArrayRef<StringRef> flags,
                            const Twine &why) {
  if (flags.empty())
    return success();
  return module.emitError() << "expects no " << flags.front() << ' ' << why;
}

/// An op on tensors whose results nobody takes is dead code, and would be gone
/// before anyone could say so.
static LogicalResult checkResultsUsed(ModuleOp module, StringRef entry) {
  WalkResult walk = module.walk([&](AttentionOp op) {
    auto func = op->getParentOfType<func::FuncOp>();
    bool isLeftOut = !entry.empty() && func && func.getName() != entry;
    if (isLeftOut || op.getNumResults() == 0 || !op.use_empty())
      return WalkResult::advance();
    op.emitOpError() << "expects a result that is returned, got one that "
                        "nothing uses";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult
checkEffects(ModuleOp module, const CompileOptions &options, StringRef stage) {
  Given given(options);
  bool isCpu = options.chip == "cpu";
  if (!isCpu && options.cpu != CompileOptions().cpu)
    return refuse(module, {"--cpu"}, "with --chip=" + options.chip);
  if (isCpu && failed(refuse(module, given.gpuSchedule,
                             "with --chip=cpu, where no warps share a tile and "
                             "no tile is copied")))
    return failure();
  if (options.reference &&
      failed(refuse(module, given.schedule,
                    "with --reference, which knows no tiles")))
    return failure();
  if (stage == "problem")
    return checkResultsUsed(module, options.entry);
  if (failed(refuse(module, given.schedule,
                    "for IR at stage " + stage + ", which has its schedule")))
    return failure();
  return refuse(module, given.entry,
                "for IR at stage " + stage + ", which has one entry");
}

/// Kernels are for one chip.
static LogicalResult checkChip(ModuleOp module, const CompileOptions &options) {
  StringRef chip = "cpu";
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    if (auto target = kernels->getAttrOfType<StringAttr>(kTargetAttr))
      chip = target.getValue();
  if (chip == options.chip)
    return success();
  return module.emitError()
         << "holds kernels for chip " << chip << ": expects --chip=" << chip
         << ", got '" << options.chip << "'";
}

LogicalResult mlir::fa::checkInput(ModuleOp module,
                                   const CompileOptions &options,
                                   ArrayRef<std::string> stages) {
  Attribute attr = module->getAttr(kStageAttr);
  if (attr && !isa<StringAttr>(attr))
    return module.emitError()
           << "expects " << kStageAttr << " to be a string, got " << attr;
  StringRef stage = getStage(module);
  if (module->hasAttr(kManifestAttr) &&
      (failed(checkChip(module, options)) || failed(checkManifest(module))))
    return failure();
  if (!llvm::is_contained(stages, stage))
    return success(); // the walk has more to say about that
  for (const std::string &skipped : options.skip)
    if (llvm::find(stages, skipped) <= llvm::find(stages, stage))
      return refuse(module, {"--skip=" + skipped},
                    "for IR at stage " + stage + ", which is behind it");
  return checkEffects(module, options, stage);
}
