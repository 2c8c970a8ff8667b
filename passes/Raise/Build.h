// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the op for a match and puts its result in the old value's place.
#ifndef FA_PASSES_RAISE_BUILD_H
#define FA_PASSES_RAISE_BUILD_H

#include "passes/Raise/Masks.h"

namespace mlir::fa::raising {

struct BuildOptions {
  Type narrowTo; // f16 or bf16, for f32 operands; null: these are declined
};

/// Null on failure, with the IR as it was but for unused ops; `reason` says
/// why.
Operation *buildAttention(Graph &graph, Attention &attention, const Plan &plan,
                          const BuildOptions &options, std::string &reason);

/// Whether anything but the attention itself reads what the attention computes
/// on its way, but for its `logSum`; names the first such user. `inner` gets
/// the ops on the way.
using OpSet = llvm::SetVector<Operation *>;
Operation *findOtherUse(Graph &graph, const Attention &attention, OpSet &inner);

/// Looks for the logarithm of the sum of exponentials among what the program
/// computes of the scores.
bool findLogSum(Matcher &matcher, Attention &attention);
/// Whether its readers may stand behind the root, where the op's result will
/// be: not where one of them has an effect.
bool readersMaySink(const Attention &attention);
/// Moves readers of `made` that stand before it behind it.
void sinkReaders(Value made);

/// Reads dimensions of results of `inner` off what these are computed from.
void resolveDims(const OpSet &inner);

/// Erases those that nobody uses any more, and what only they used.
void eraseDead(OpSet candidates, llvm::DenseSet<Operation *> &erased);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_BUILD_H
