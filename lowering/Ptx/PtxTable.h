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
  /// Reads or writes memory, or has another reason to be neither merged nor
  /// removed and to keep its place among the accesses to memory.
  bool sideEffects;
  /// All threads of a warp must execute it together, so no copy of it may move
  /// into or out of a branch.
  bool convergent;
  /// The first PTX version that has it: major * 10 + minor.
  int ptxVersion;
};

/// cp.async of 16 bytes past L1, of which the first $2 (0 to 16) are read and
/// the rest become zeros. The hint makes L2 fetch the whole 128-byte line,
/// which the neighbouring threads ask for anyway.
inline constexpr Row kCpAsync16 = {
    "cp.async.cg.shared.global.L2::128B [$0], [$1], 16, $2;", "r,l,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/74};

/// The same for what is aligned to 8 or 4 bytes only; it goes through L1.
inline constexpr Row kCpAsync8 = {
    "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/70};
inline constexpr Row kCpAsync4 = {
    "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/70};

/// The thread's number, read where it stands: what is computed from it is then
/// computed again in each round of a loop. A kernel whose accumulators fill the
/// registers would otherwise spill to keep a few addresses.
inline constexpr Row kThreadHere = {"mov.u32 $0, %tid.x;", "=r",
                                    /*sideEffects=*/true, /*convergent=*/false,
                                    /*ptxVersion=*/70};

inline constexpr const Row *kRows[] = {&kCpAsync16, &kCpAsync8, &kCpAsync4,
                                       &kThreadHere};

/// The row with this text, null for text that is not from this table.
inline const Row *findRow(llvm::StringRef text) {
  for (const Row *row : kRows)
    if (row->text == text)
      return row;
  return nullptr;
}

} // namespace mlir::fa::ptx

#endif // FA_LOWERING_PTX_PTXTABLE_H
