// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX of Hopper's warpgroup products. LLVM's intrinsics know neither A in
// registers nor a wait that holds the accumulators, so that LLVM could move a
// use of one above its wait.
#ifndef FA_LOWERING_PTX_WGMMA_H
#define FA_LOWERING_PTX_WGMMA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::fa::ptx {

/// Inline assembly whose text depends on a shape.
struct ShapedPtx {
  std::string text;
  /// As in Row.
  std::string constraints;
};

/// One product of a warpgroup, m64 by `n` columns, over several k steps of 16.
struct WgmmaProduct {
  int64_t n;
  /// "f16" or "bf16".
  llvm::StringRef type;
  /// What each k step adds to the descriptors of A and B, in their units. Where
  /// `aSteps` has fewer they are the last ones, and A's part of those in front
  /// is in registers.
  llvm::ArrayRef<int64_t> aSteps;
  llvm::ArrayRef<int64_t> bSteps;
  /// B's rows count k (MN-major).
  bool transposeB;
  /// Adds to the accumulator, else starts from zero.
  bool accumulate;

  /// The k steps with A in registers.
  int64_t registerSteps() const { return bSteps.size() - aSteps.size(); }
  /// 32-bit registers of the accumulator in a thread.
  int64_t accRegisters() const { return n / 2; }
  /// 32-bit registers of A in a thread.
  int64_t aRegisters() const { return 4 * registerSteps(); }
};

/// All k steps, behind a fence for the registers that ordinary code wrote, and
/// the commit: a group of its own. Outputs: the accumulator, in flight. Inputs:
/// the accumulator where the product adds to it, in the same registers; A, as
/// registers, one descriptor, or both; B's descriptor.
ShapedPtx wgmmaProduct(const WgmmaProduct &product);

/// Waits until at most `newer` groups are in flight. Outputs and inputs: the
/// `registers` accumulators that this completes or keeps, in the same place.
ShapedPtx wgmmaWait(int64_t newer, int64_t registers);

} // namespace mlir::fa::ptx

#endif // FA_LOWERING_PTX_WGMMA_H
