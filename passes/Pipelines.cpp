// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipelines.h"

#include "dialect/Target/GpuTarget.h"
#include "passes/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fa;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

// problem -> buffers: the entry's arguments are the artefact's tensors.
//   fa-opt --fa-to-buffers=chip=sm_80
static void toBuffers(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createCanonicalizerPass()); // masks written as regions
  pm.addPass(createFaEntryToBuffers({options.entry}));
  pm.addPass(bufferization::createOneShotBufferizePass());
  addCleanup(pm);
  pm.addPass(createFaChooseSchedule(
      {options.chip, options.queryTile, options.keyTile, options.warps,
       options.stages, options.mask, options.schedule}));
  pm.addPass(createFaVersionSchedule()); // a function for each kernel's tiles
}

// buffers -> tiled: a parallel loop over query tiles.
//   fa-opt --fa-to-tiled
static void toTiled(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createFaTile());
  addCleanup(pm);
}

// tiled -> online: a loop over key tiles; the paper's algorithm.
//   fa-opt --fa-to-online
static void toOnline(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createFaOnline());
  pm.addPass(createCanonicalizerPass());
}

// online -> masked: key tiles skipped, full, or at an edge.
//   fa-opt --fa-to-masked
static void toMasked(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createFaMaskTiles());
  pm.addPass(createCanonicalizerPass());
}

// masked -> outlined: a kernel function; the host's side as data.
//   fa-opt --fa-to-outlined=chip=sm_80
static void toOutlined(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createFaOrderTiles());
  pm.addPass(createFaOutline({options.chip}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createFaExpandKeep());
  pm.addPass(createCanonicalizerPass());
}

// outlined -> values: tiles in registers and in shared memory.
//   fa-opt --fa-to-values
static void toValues(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createFaVersionAccess()); // a kernel for 16-byte access
  pm.addPass(createFaRequireTma());    // what tensor maps can describe
  pm.addPass(createFaExpToExp2());
  pm.addPass(createFaToWg());
  addCleanup(pm);
}

// values -> pipelined: copies of later key tiles run under this one.
//   fa-opt --fa-to-pipelined
static void toPipelined(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createWgDeferRowSum()); // one exchange a row, not one a tile
  pm.addPass(createWgFirstTile());   // nothing in front to rescale
  pm.addPass(createWgPersist());     // these for kernels with TMA:
  pm.addPass(createWgThreshold());   // references that mostly stay
  pm.addPass(createWgRotate());      // the next scores over PV
  pm.addPass(createWgGuardRescale());
  pm.addPass(createWgLateQueries()); // K in front of a Q that waits
  pm.addPass(createWgTmaRings());
  pm.addPass(createWgPipeline()); // the others
  addCleanup(pm);
}

// pipelined -> addressed: every tile has its place in shared memory.
//   fa-opt --fa-to-addressed
static void toAddressed(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createWgExpandLoads()); // what was not pipelined
  pm.addPass(createWgStageStores()); // 16-byte stores by way of a tile
  pm.addPass(createWgFastExp());
  pm.addPass(createCSEPass());
  pm.addPass(createWgRareRows());
  pm.addPass(createWgPlanShared());
  addCleanup(pm);
}

// pipelined -> specialized (sm_90a): a producer and consumers.
//   fa-opt --fa-to-specialized=chip=sm_90a
static void toSpecialized(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createWgExpandLoads()); // of the kernels without TMA
  pm.addPass(createWgStageStores());
  pm.addPass(createWgSpecialize());
  pm.addPass(createWgFetchTiles());
  pm.addPass(createWgStoreTma());
  pm.addPass(createWgLaunchValues());
  addCleanup(pm);
}

// specialized -> async (sm_90a): products in flight.
//   fa-opt --fa-to-async=chip=sm_90a
static void toAsync(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createWgAsync());
  pm.addPass(createWgOverlapTiles());
  pm.addPass(createWgHoldQueries()); // part of Q in registers
  pm.addPass(createWgFastExp());
  pm.addPass(createWgPlaceWaits());
  pm.addPass(createWgLiftLoads()); // what regions read once a tile
  pm.addPass(createWgSmallTanh()); // softcap of small scores
  pm.addPass(createCSEPass());
  pm.addPass(createWgRareRows()); // row work where references move
  pm.addPass(createWgJoinRare());
  pm.addPass(createWgLateScores());    // small tanhs with their exponents
  pm.addPass(createWgSlantedScores()); // ALiBi too
  pm.addPass(createWgIntegerMaxima()); // three scores at a time
  pm.addPass(createWgPingPong());
  addCleanup(pm);
}

// async -> addressed (sm_90a): shared memory and named barriers.
//   fa-opt --fa-to-addressed=chip=sm_90a
static void hopperToAddressed(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createLowerAffinePass());
  pm.addPass(createWgNarrowIndices());
  pm.addPass(createWgNumberBarriers());
  pm.addPass(createWgPlanShared());
  addCleanup(pm);
}

ArrayRef<Stage> mlir::fa::commonStages() {
  static const Stage stages[] = {
      {"buffers", toBuffers},   {"tiled", toTiled},
      {"online", toOnline},     {"masked", toMasked, /*optional=*/true},
      {"outlined", toOutlined},
  };
  return stages;
}

ArrayRef<Stage> mlir::fa::gpuStages(StringRef chip) {
  static const Stage stages[] = {
      {"values", toValues},
      {"pipelined", toPipelined, /*optional=*/true},
      {"addressed", toAddressed},
  };
  static const Stage hopperStages[] = {
      {"values", toValues},
      {"pipelined", toPipelined, /*optional=*/true},
      {"specialized", toSpecialized},
      {"async", toAsync},
      {"addressed", hopperToAddressed},
  };
  const ::fa::target::GpuTarget *target =
      ::fa::target::findGpuTarget(chip.str());
  if (target && target->hasWgmma)
    return hopperStages;
  return stages;
}

/// Stage `name` on the way to `chip`, null where it is not on that way.
static const Stage *findStage(StringRef name, StringRef chip) {
  for (ArrayRef<Stage> stages : {commonStages(), gpuStages(chip)})
    for (const Stage &stage : stages)
      if (stage.name == name)
        return &stage;
  return nullptr;
}

static LogicalResult
buildStage(OpPassManager &pm, StringRef name, const PipelineOptions &options,
           function_ref<LogicalResult(const Twine &)> emitError) {
  const Stage *stage = findStage(name, options.chip);
  if (!stage)
    return emitError("fa-to-" + name + " expects a chip with that stage (" +
                     ::fa::target::knownGpuTargets([&](const auto &target) {
                       return findStage(name, target.chip) != nullptr;
                     }) +
                     "), got '" + options.chip.getValue() + "'");
  stage->build(pm, options);
  return success();
}

void mlir::fa::registerFaPipelines() {
  // PassPipelineRegistration's builders cannot refuse a chip.
  auto add = [](StringRef name) {
    registerPassPipeline(
        ("fa-to-" + name).str(),
        ("The passes that lead to stage " + name).str(),
        [name](OpPassManager &pm, StringRef text,
               function_ref<LogicalResult(const Twine &)> emitError) {
          PipelineOptions options;
          return failure(failed(options.parseFromString(text)) ||
                         failed(buildStage(pm, name, options, emitError)));
        },
        [](function_ref<void(const mlir::detail::PassOptions &)> show) {
          show(PipelineOptions());
        });
  };
  for (const Stage &stage : commonStages())
    add(stage.name);
  // The chip with the most stages.
  for (const Stage &stage : gpuStages("sm_90a"))
    add(stage.name);
  PassPipelineRegistration<PipelineOptions>(
      "fa-pipeline",
      "From fa.attention to `outlined` (cpu) or `addressed` (a GPU)",
      [](OpPassManager &pm, const PipelineOptions &options) {
        for (const Stage &stage : commonStages())
          stage.build(pm, options);
        if (options.chip != "cpu")
          for (const Stage &stage : gpuStages(options.chip))
            stage.build(pm, options);
      });
}
