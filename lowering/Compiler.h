// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a module at any stage to a later one, or to an artefact: what fa-compile
// does, as a library.
#ifndef FA_LOWERING_COMPILER_H
#define FA_LOWERING_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir::fa {

struct CompileOptions {
  /// "cpu", or a GPU as dialect/Target/GpuTarget.h lists them.
  std::string chip = "sm_80";
  /// For the CPU: the processor, as -mcpu takes it.
  std::string cpu = "x86-64-v3";
  /// For the CPU: the op's definition in float64 instead of a fast kernel.
  bool reference = false;
  /// The entry function, where several hold an attention op.
  std::string entry;
  /// Overrule the schedule table; 0 and "" leave its choice.
  int64_t queryTile = 0, keyTile = 0, warps = 0, stages = 0;
  std::string mask;
  /// Fields of the schedule as #fa.schedule spells them, set last.
  std::string schedule;
  /// Optional stages to leave out.
  std::vector<std::string> skip;
  /// How the passes are run on the module: a pass that compiles names its own
  /// runPipeline here. By a pass manager of their own where it is empty.
  std::function<LogicalResult(OpPassManager &, ModuleOp)> run;
};

/// Adds the dialects, with their translations, that compiling may lead to: a
/// pass that compiles depends on them.
void getCompilerDialects(DialectRegistry &registry);

/// The chips that options may name, separated by ", ": for messages.
std::string chipNames();

/// The names of the stages on the way to an artefact, in order, the first
/// "problem" and the last the one that is emitted from ("nvvm" or "llvm").
std::vector<std::string> stageNames(const CompileOptions &options);

/// The name of the step from the last of them to the artefact: "ptx" or
/// "object".
StringRef lastStep(const CompileOptions &options);

/// Takes `module` from the stage that it is at to `stage`. An error at the
/// module where an option or a stage is unknown or lies behind it.
LogicalResult compileToStage(ModuleOp module, const CompileOptions &options,
                             StringRef stage);

/// Takes `module` from the stage that it is at to the last one, and returns the
/// artefact: PTX text, or an ELF shared object, with its manifest inside. The
/// same input and options give the same bytes.
FailureOr<std::string> compileToArtifact(ModuleOp module,
                                         const CompileOptions &options);

/// The same, but the code alone as LLVM IR text.
FailureOr<std::string> compileToLlvm(ModuleOp module,
                                     const CompileOptions &options);

} // namespace mlir::fa

#endif // FA_LOWERING_COMPILER_H
