// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipelines.h"

#include "passes/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

// problem -> buffers: the entry's arguments are the artefact's tensors.
//   fa-opt --fa-to-buffers=chip=sm_80
static void toBuffers(OpPassManager &pm, const fa::PipelineOptions &options) {
  pm.addPass(createCanonicalizerPass()); // masks written as regions
  pm.addPass(fa::createFaChooseSchedule({options.chip, options.queryTile,
                                         options.keyTile, options.warps,
                                         options.stages, options.mask}));
  pm.addPass(fa::createFaEntryToBuffers({options.entry}));
  pm.addPass(bufferization::createOneShotBufferizePass());
  addCleanup(pm);
}

// buffers -> tiled: a parallel loop over query tiles.
//   fa-opt --fa-to-tiled
static void toTiled(OpPassManager &pm, const fa::PipelineOptions &) {
  pm.addPass(fa::createFaTile());
  addCleanup(pm);
}

// tiled -> online: a loop over key tiles; the paper's algorithm.
//   fa-opt --fa-to-online
static void toOnline(OpPassManager &pm, const fa::PipelineOptions &) {
  pm.addPass(fa::createFaOnline());
  pm.addPass(createCanonicalizerPass());
}

// online -> masked: key tiles skipped, full, or at an edge.
//   fa-opt --fa-to-masked
static void toMasked(OpPassManager &pm, const fa::PipelineOptions &) {
  pm.addPass(fa::createFaMaskTiles());
  pm.addPass(createCanonicalizerPass());
}

// masked -> outlined: a kernel function; the host's side as data.
//   fa-opt --fa-to-outlined=chip=sm_80
static void toOutlined(OpPassManager &pm, const fa::PipelineOptions &options) {
  pm.addPass(fa::createFaOutline({options.chip}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(fa::createFaExpandKeep());
  pm.addPass(createCanonicalizerPass());
}

// outlined -> values: tiles in registers and in shared memory.
//   fa-opt --fa-to-values
static void toValues(OpPassManager &pm, const fa::PipelineOptions &) {
  pm.addPass(fa::createFaVersionAccess()); // a kernel for 16-byte access
  pm.addPass(fa::createFaExpToExp2());
  pm.addPass(fa::createFaToWg());
  addCleanup(pm);
}

// values -> pipelined: copies of later key tiles run under this one.
//   fa-opt --fa-to-pipelined
static void toPipelined(OpPassManager &pm, const fa::PipelineOptions &) {
  pm.addPass(fa::createWgDeferRowSum()); // one exchange a row, not one a tile
  pm.addPass(fa::createWgPipeline());
  addCleanup(pm);
}

// pipelined -> addressed: every tile has its place in shared memory.
//   fa-opt --fa-to-addressed
static void toAddressed(OpPassManager &pm, const fa::PipelineOptions &) {
  pm.addPass(fa::createWgExpandLoads()); // what was not pipelined
  pm.addPass(fa::createWgStageStores()); // 16-byte stores by way of a tile
  pm.addPass(fa::createWgPlanShared());
  addCleanup(pm);
}

ArrayRef<fa::Stage> fa::commonStages() {
  static const Stage stages[] = {
      {"buffers", toBuffers},   {"tiled", toTiled},
      {"online", toOnline},     {"masked", toMasked, /*optional=*/true},
      {"outlined", toOutlined},
  };
  return stages;
}

ArrayRef<fa::Stage> fa::gpuStages() {
  static const Stage stages[] = {
      {"values", toValues},
      {"pipelined", toPipelined, /*optional=*/true},
      {"addressed", toAddressed},
  };
  return stages;
}

void fa::registerFaPipelines() {
  auto add = [](const Stage &stage) {
    PassPipelineRegistration<PipelineOptions>(
        ("fa-to-" + stage.name).str(),
        ("The passes that lead to stage " + stage.name).str(),
        [build = stage.build](OpPassManager &pm,
                              const PipelineOptions &options) {
          build(pm, options);
        });
  };
  for (const Stage &stage : commonStages())
    add(stage);
  for (const Stage &stage : gpuStages())
    add(stage);
  PassPipelineRegistration<PipelineOptions>(
      "fa-pipeline",
      "From fa.attention to `outlined` (cpu) or `addressed` (a GPU)",
      [](OpPassManager &pm, const PipelineOptions &options) {
        for (const Stage &stage : commonStages())
          stage.build(pm, options);
        if (options.chip != "cpu")
          for (const Stage &stage : gpuStages())
            stage.build(pm, options);
      });
}
