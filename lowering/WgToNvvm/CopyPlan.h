// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread moves which chunks of a tile between global and shared memory.
#ifndef FA_LOWERING_WGTONVVM_COPYPLAN_H
#define FA_LOWERING_WGTONVVM_COPYPLAN_H

#include "lowering/WgToNvvm/Emit.h"
#include "lowering/WgToNvvm/SharedTile.h"

namespace mlir::wg {

/// A row's chunks are dealt to `lanesPerRow` neighbouring threads (a power of
/// two, so that they read whole 128-byte lines where the width allows), each of
/// which takes every lanesPerRow-th; the block's threads cover `rowsPerPass`
/// rows at once and go down the tile in passes.
class CopyPlan {
public:
  CopyPlan(Emit &emit, SmemType type, Value tileAddress, int64_t threads);

  /// Row and byte of the thread in the first pass.
  Value laneRow() const { return row; }
  Value laneByte() const { return byte; }

  int64_t passes() const;
  /// Row of pass `pass`, relative to laneRow().
  int64_t rowOf(int64_t pass) const { return pass * rowsPerPass; }
  /// Null where all threads have a row of the tile in this pass, else whether
  /// this one has.
  Value inTile(int64_t pass);

  /// The chunks of a thread in its row, relative to its first.
  ArrayRef<int64_t> chunks() const { return chunkSteps; }
  /// The walk that pass `pass` belongs to, and its row there.
  std::pair<SharedTile *, int64_t> sharedOf(int64_t pass);

private:
  Emit &emit;
  ::fa::target::SharedLayout layout;
  int64_t lanesPerRow;
  int64_t rowsPerPass;
  Value row;
  Value byte;
  SmallVector<int64_t> chunkSteps;
  /// Passes that are a multiple of 8 rows apart share a walk.
  SmallVector<SharedTile> walks;
};

} // namespace mlir::wg

#endif // FA_LOWERING_WGTONVVM_COPYPLAN_H
