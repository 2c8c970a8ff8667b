// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses in a swizzled shared-memory tile: a lane's part, computed once, and
// constants that become immediates of the instructions.
#ifndef FA_LOWERING_WGTONVVM_SHAREDTILE_H
#define FA_LOWERING_WGTONVVM_SHAREDTILE_H

#include "lowering/WgToNvvm/Emit.h"

namespace mlir::wg {

/// One lane's walk over a tile. It stands at row `laneRow`, chunk `laneChunk`
/// (a chunk is 16 bytes) and visits places that lie a constant number of rows
/// and chunks from there.
///
/// The swizzle puts chunk c of row r at c ^ f(r) within groups of g chunks, and
/// f has period 8. So for steps of 8 rows the lane's own f stays the same, and
/// a step of s chunks whose bits do not meet those of laneChunk changes the
/// address by (s % g) with exclusive or, which commutes with f, and by s - s %
/// g with a sum. Rows and tiles are multiples of g chunks, so the exclusive or
/// may be done on the whole address.
class SharedTile {
public:
  /// `address` (i32) is the tile's first byte. `laneRow`, `laneChunk` and the
  /// byte in the chunk, `laneByte`, are i32, and laneChunk < 2^k where k is the
  /// least with chunk steps that are multiples of 2^k.
  SharedTile(Emit &emit, SmemType type, Value address, Value laneRow,
             Value laneChunk, Value laneByte = {});

  /// Pointer to the place `rows` (a multiple of 8) and `chunks` from the
  /// lane's, plus `bytes`.
  Value pointer(int64_t rows, int64_t chunks, int64_t bytes = 0);
  /// The same as an i32 address.
  Value address(int64_t rows, int64_t chunks, int64_t bytes = 0);

  /// Rows after which the swizzle repeats.
  static constexpr int64_t kPeriod = 8;
  /// Chunks that change places with each other: g.
  static int64_t chunkGroup(const ::fa::target::SharedLayout &layout);

private:
  /// The lane's address for steps whose low part is `low` chunks.
  Value laneAddress(int64_t low);
  int64_t constantPart(int64_t rows, int64_t chunks) const;

  Emit &emit;
  ::fa::target::SharedLayout layout;
  int64_t group;
  /// Indexed by the low part of the step, null until asked for.
  SmallVector<Value> laneAddresses;
};

} // namespace mlir::wg

#endif // FA_LOWERING_WGTONVVM_SHAREDTILE_H
