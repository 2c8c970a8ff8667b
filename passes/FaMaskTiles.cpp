// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// online -> masked: each mask in a key loop says which tiles the loop visits
// (KeyRanges) and, by the style that the schedule asks for, what becomes of the
// loop (KeyLoops).
#include "passes/KeyLoops.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAMASKTILES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// The masks in the module that can be reasoned about; a remark for each other
/// one in a loop.
static SmallVector<MaskStep> findMaskSteps(ModuleOp module) {
  SmallVector<MaskStep> steps;
  module.walk([&](KeepOp keep) {
    if (std::optional<MaskStep> step = matchMaskStep(keep))
      steps.push_back(*step);
    else if (keep->getParentOfType<scf::ForOp>())
      keep.emitRemark() << "this mask is not of the form that lets key tiles "
                           "be told apart: all of them are visited and "
                           "masked";
  });
  return steps;
}

/// The schedule of the parallel loop around, nothing where it has none.
static ScheduleAttr scheduleOf(MaskStep step) {
  auto parallel = step.loop->getParentOfType<scf::ForallOp>();
  return parallel ? parallel->getAttrOfType<ScheduleAttr>(kScheduleAttr)
                  : ScheduleAttr();
}

/// The loop is turned around behind the last of its masks (`isLast`): the
/// others still reason about its counter.
static void apply(MaskStep step, MaskStyle style, bool isLast) {
  OpBuilder b(step.loop);
  KeyRanges ranges = findRanges(b, step);
  ScheduleAttr schedule = scheduleOf(step);
  bool backward = schedule && schedule.getWalk() == KeyOrder::Backward;
  bool drops = neverMasks(step, ranges);
  bool splits = style == MaskStyle::Split;
  if (splits && backward && schedule.getRotate())
    return peelLast(step, ranges, drops);
  if (!drops && splits)
    return splitLoop(step, ranges, backward);
  step.loop.getLowerBoundMutable().assign(ranges.begin);
  step.loop.getUpperBoundMutable().assign(ranges.end);
  if (drops)
    dropMask(step);
  else if (style == MaskStyle::Guard)
    guardMask(step, ranges);
  if (backward && isLast)
    reverseLoop(step.loop, step.keys);
}

namespace {
struct MaskTilesPass : fa::impl::FaMaskTilesBase<MaskTilesPass> {
  using FaMaskTilesBase::FaMaskTilesBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!style.empty() && !symbolizeMaskStyle(style)) {
      module.emitError() << "expects style every, guard or split, got '"
                         << style << "'";
      return signalPassFailure();
    }
    if (failed(expectStage(module, {"online"})))
      return signalPassFailure();
    SmallVector<MaskStep> steps = findMaskSteps(module);
    llvm::MapVector<Operation *, unsigned> perLoop;
    SmallVector<MaskStyle> styles;
    for (MaskStep step : steps)
      ++perLoop[step.loop];
    for (MaskStep step : steps)
      styles.push_back(styleOf(step, perLoop[step.loop]));
    for (auto [step, chosen] : llvm::zip(steps, styles))
      apply(step, chosen, /*isLast=*/--perLoop[step.loop] == 0);
    setStage(module, "masked");
  }

  /// The option, else what the schedule says. A loop with several masks is not
  /// split.
  MaskStyle styleOf(MaskStep step, unsigned masksInLoop) {
    ScheduleAttr schedule = scheduleOf(step);
    MaskStyle chosen = schedule ? schedule.getMask() : MaskStyle::Guard;
    if (!style.empty())
      chosen = *symbolizeMaskStyle(style);
    if (chosen != MaskStyle::Split || masksInLoop == 1)
      return chosen;
    step.keep.emitRemark() << "guarded: a loop with " << masksInLoop
                           << " masks is not split";
    return MaskStyle::Guard;
  }
};
} // namespace
