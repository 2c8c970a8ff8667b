// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's table of contents: the stages from `fa.attention` to a kernel,
// in order, each with the passes that make it. What comes after the last one
// here is in lowering/: WgToNvvm for a GPU, Cpu for the CPU.
#ifndef FA_PASSES_PIPELINES_H
#define FA_PASSES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::fa {

/// What the stages may be told, from a command line or from C++. The tile
/// options overrule the schedule table; 0 and "" leave its choice.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("cpu, or a GPU: sm_80, sm_90a"),
                           llvm::cl::init("cpu")};
  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("the entry function, where several hold "
                     "an attention op")};
  Option<int64_t> queryTile{*this, "query-tile",
                            llvm::cl::desc("rows of a query tile")};
  Option<int64_t> keyTile{*this, "key-tile",
                          llvm::cl::desc("keys of a key tile")};
  Option<int64_t> warps{*this, "warps",
                        llvm::cl::desc("warps that share a query tile")};
  Option<int64_t> stages{*this, "stages",
                         llvm::cl::desc("depth of the ring of K and V tiles")};
  Option<std::string> mask{*this, "mask",
                           llvm::cl::desc("every, guard or split")};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("any fields of the schedule, as #fa.schedule has them")};
};

/// Adds the passes that lead to one stage from the one before.
using StageBuilder = void (*)(OpPassManager &, const PipelineOptions &);

/// A stage: its name, as `fa.stage` and `--stage=` spell it, and the way there.
struct Stage {
  StringRef name;
  StageBuilder build;
  /// Whether a kernel without this step is right too, only slower.
  bool optional = false;
};

/// buffers to outlined: the same for every chip.
ArrayRef<Stage> commonStages();
/// values to addressed: `wg`, for a GPU; more of them where it has wgmma.
ArrayRef<Stage> gpuStages(StringRef chip);

/// Registers a pipeline `fa-to-STAGE` for each stage, and `fa-pipeline`, which
/// is all of them for the chip.
void registerFaPipelines();

} // namespace mlir::fa

#endif // FA_PASSES_PIPELINES_H
