// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in global memory: 64-bit addresses, and which rows exist.
#ifndef FA_LOWERING_WGTONVVM_GLOBALROWS_H
#define FA_LOWERING_WGTONVVM_GLOBALROWS_H

#include "lowering/WgToNvvm/Emit.h"

namespace mlir::wg {

/// One lane's walk over the rows of a memref, from row `laneRow` on (an i32).
class GlobalRows {
public:
  /// Rows at or past `count` (an index, may be negative) do not exist.
  /// `laneByte` (an i32, null for 0) is added to every address.
  GlobalRows(Emit &emit, Value memref, Value count, Value laneRow,
             Value laneByte = {});

  /// Whether the row `rows` down from the lane's exists.
  Value exists(int64_t rows);
  /// Whether all rows below `rows` exist; the same in all lanes.
  Value allExist(int64_t rows);
  /// The address (i64) of the row `rows` down from the lane's. Asked for in
  /// ascending order, each is the one before plus a multiple of the stride.
  Value address(int64_t rows);

private:
  Emit &emit;
  Value count;
  Value laneRow;
  Value count32;
  Value strideBytes;
  int64_t reachedRows = 0;
  Value reached;
};

/// 16 bytes at `address` (i64) plus `offset` as vector<4xi32>, read in pieces
/// of `bytes`.
Value loadGlobalChunk(Emit &emit, Value address, int64_t offset, int64_t bytes);
/// The reverse.
void storeGlobalChunk(Emit &emit, Value chunk, Value address, int64_t offset,
                      int64_t bytes);

} // namespace mlir::wg

#endif // FA_LOWERING_WGTONVVM_GLOBALROWS_H
