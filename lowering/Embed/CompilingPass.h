// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_EMBED_COMPILINGPASS_H
#define FA_LOWERING_EMBED_COMPILINGPASS_H

#include "lowering/Compiler.h"

namespace mlir::fa {
/// What passes with `compileOptions` (Passes.td) share. BaseT is the generated
/// base class.
template <typename BaseT> struct CompilingPass : BaseT {
  using BaseT::BaseT;

  void getDependentDialects(DialectRegistry &registry) const override {
    BaseT::getDependentDialects(registry);
    getCompilerDialects(registry);
  }

  CompileOptions readOptions() const {
    CompileOptions options;
    options.chip = this->chip;
    options.cpu = this->cpu;
    options.queryTile = this->queryTile;
    options.keyTile = this->keyTile;
    options.warps = this->warps;
    options.stages = this->stages;
    options.mask = this->mask;
    options.schedule = this->schedule;
    options.skip.assign(this->skip.begin(), this->skip.end());
    return options;
  }

  /// The same while the pass runs: its own pipelines are part of the host's.
  CompileOptions readOptionsToRun() {
    CompileOptions options = readOptions();
    options.run = [this](OpPassManager &passes, ModuleOp module) {
      return this->runPipeline(passes, module);
    };
    return options;
  }
};
} // namespace mlir::fa

#endif // FA_LOWERING_EMBED_COMPILINGPASS_H
