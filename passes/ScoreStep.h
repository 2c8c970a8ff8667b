// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop over key tiles at the end of stage async, as the passes read it that
// compute scores together with their exponents.
#ifndef FA_PASSES_SCORESTEP_H
#define FA_PASSES_SCORESTEP_H

#include "passes/WgKernel.h"

namespace mlir::fa {
/// exp2(score * factor + rest) in a map of a tile of scores and of rows, or of
/// the tile's columns from `first` on.
struct Exponential {
  wg::MapOp map;
  int64_t first;
};

/// The scores of a loop over key tiles, and all that reads them.
struct ScoreStep {
  scf::ForOp loop;
  Value scores;
  /// The rows' maxima, as parts.
  wg::ReduceRowsOp max;
  /// Whether they pass the bound, and what moves references then.
  wg::AnyOp vote;
  scf::IfOp moves;
  /// Which results of `moves` are the scores, whether references are far from
  /// 0, and what rows add to their exponents.
  unsigned scoresPlace = 0, farPlace = 0, restPlace = 0;
  /// In `moves`: takes from the scores the references that are far.
  scf::IfOp subtracts;
  wg::MapOp difference;
  /// What multiplies scores in the exponents, from outside of the loop.
  Value factor;
  SmallVector<Exponential> exponentials;
};

/// The step of the loop around `moves`; nothing where it is another branch, or
/// where something else reads the scores.
std::optional<ScoreStep> matchScoreStep(scf::IfOp moves);

/// Rewrites the steps that `match` finds in the module's kernels: all are found
/// before the first is taken apart.
template <typename Step>
void rewriteSteps(ModuleOp module,
                  std::optional<Step> (*match)(scf::IfOp moves),
                  void (*rewrite)(Step &)) {
  SmallVector<Step, 0> steps;
  for (gpu::GPUFuncOp kernel : findKernels(module))
    for (scf::IfOp branch : findOps<scf::IfOp>(kernel))
      if (std::optional<Step> step = match(branch))
        steps.push_back(*step);
  llvm::for_each(steps, rewrite);
}

/// What the exponentials of a step read: a tile, and values that are the same
/// for a row, or for all elements.
struct ExponentTerms {
  Value tile;
  SmallVector<Value> rows, numbers;
};

/// An exponent: of the terms' elements, in order, and of the column.
using ExponentBody =
    function_ref<Value(OpBuilder &, ValueRange elements, Value column)>;

/// The exponentials become 2^exponent of `moved` behind the branch that moves
/// references, of `stayed` where it is not taken. What read the scores is gone.
void replaceScores(ScoreStep &step, const ExponentTerms &moved,
                   const ExponentTerms &stayed, ExponentBody exponent);

/// `number` where `condition`, `otherwise` where not.
Value chooseNumber(OpBuilder &b, Location loc, Value condition, double number,
                   Value otherwise);
} // namespace mlir::fa

#endif // FA_PASSES_SCORESTEP_H
