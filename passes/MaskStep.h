// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mask of a key loop at stage online, found in the text.
#ifndef FA_PASSES_MASKSTEP_H
#define FA_PASSES_MASKSTEP_H

#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {

/// A mask step in a key loop: `generic` applies `keep` to a tile of scores.
struct MaskStep {
  scf::ForOp loop;
  linalg::GenericOp generic;
  KeepOp keep;
  /// The query that row 0 of the tile stands for; null for query 0.
  Value firstQuery;
  int64_t rows, keys;
};

/// The step that `keep` belongs to, nothing where it is not of the form that
/// can be reasoned about (then the loop keeps its bounds and its mask).
std::optional<MaskStep> matchMaskStep(KeepOp keep);

/// The base of `base + linalg.index dim`; null for 0 + linalg.index dim, which
/// folds to the index alone.
FailureOr<Value> matchCoordinate(Value value, uint64_t dim);

} // namespace mlir::fa

#endif // FA_PASSES_MASKSTEP_H
