// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every piece of PTX that this project writes by hand, one row each. What LLVM
// has an intrinsic for is not here: intrinsics tell the optimiser more.
#ifndef FA_LOWERING_PTX_PTXTABLE_H
#define FA_LOWERING_PTX_PTXTABLE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::fa::ptx {

/// One instruction (or a few that belong together) as inline assembly.
struct Row {
  llvm::StringLiteral text;
  /// LLVM constraint codes: outputs first, then inputs.
  llvm::StringLiteral constraints;
  /// Reads or writes memory, so it keeps its place among other accesses.
  bool memory;
  /// All threads of a warp must execute it together, so no copy of it may move
  /// into or out of a branch.
  bool convergent;
};

/// cp.async of 16 bytes past L1, of which the first $2 (0 to 16) are read and
/// the rest become zeros. The hint makes L2 fetch the whole 128-byte line,
/// which the neighbouring threads ask for anyway.
inline constexpr Row kCpAsync16 = {
    "cp.async.cg.shared.global.L2::128B [$0], [$1], 16, $2;", "r,l,r",
    /*memory=*/true, /*convergent=*/false};

/// The same where all 16 bytes exist.
inline constexpr Row kCpAsync16Full = {
    "cp.async.cg.shared.global.L2::128B [$0], [$1], 16;", "r,l",
    /*memory=*/true, /*convergent=*/false};

inline constexpr const Row *kRows[] = {&kCpAsync16, &kCpAsync16Full};

/// The row with this text, null for text that is not from this table.
inline const Row *findRow(llvm::StringRef text) {
  for (const Row *row : kRows)
    if (row->text == text)
      return row;
  return nullptr;
}

} // namespace mlir::fa::ptx

#endif // FA_LOWERING_PTX_PTXTABLE_H
