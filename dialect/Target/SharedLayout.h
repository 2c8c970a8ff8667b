// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a shared-memory tile keeps its elements, and which accesses collide.
#ifndef FA_DIALECT_TARGET_SHAREDLAYOUT_H
#define FA_DIALECT_TARGET_SHAREDLAYOUT_H

#include <cstdint>
#include <vector>

namespace fa::target {

/// Shared memory moves in chunks of 16 bytes: ldmatrix reads 8 of them at once.
inline constexpr int64_t kChunkBytes = 16;
/// One access of a warp serves at most so many bytes: 32 banks of 4 bytes.
inline constexpr int64_t kWavefrontBytes = 128;
/// The 128-byte swizzle repeats every 8 rows of 128 bytes; a tile that TMA or
/// wgmma addresses starts on such a boundary.
inline constexpr int64_t kSw128Alignment = 1024;

enum class Swizzle {
  /// Rows one after the other; the chunks of a row exchanged among groups of g,
  /// g the largest power of two that divides the chunks of a row, 8 at most:
  /// stored chunk = chunk ^ ((row / (8 / g)) % g). Any width of whole chunks is
  /// then free of bank conflicts for 8 rows of one chunk column (ldmatrix) and
  /// for 8 chunks in row-major order (copies), without padding.
  Xor,
  /// Panels of 128 bytes a row, one after the other; in a panel the stored
  /// chunk is chunk ^ (row % 8). The form that TMA and wgmma know.
  Sw128
};

struct SharedLayout {
  int64_t rows;
  int64_t cols;
  int64_t elementBytes;
  Swizzle swizzle;
  /// Rows from one panel to the next (Sw128): `rows`, unless the tile is a band
  /// of rows of a larger tile.
  int64_t panelRows;

  int64_t chunksPerRow() const { return cols * elementBytes / kChunkBytes; }
  /// Bytes that a tile of its own takes.
  int64_t byteSize() const;
  /// Alignment of the tile's first byte.
  int64_t alignment() const {
    return swizzle == Swizzle::Sw128 ? kSw128Alignment : kWavefrontBytes;
  }
  /// The place of chunk `chunk` of row `row`, in chunks from the row's start
  /// (Xor) or from the panel row's start (Sw128; `chunk` counts in the panel).
  int64_t storedChunk(int64_t row, int64_t chunk) const;
  /// Bytes from the tile's start to an element.
  int64_t byteOffset(int64_t row, int64_t col) const;
};

/// Whether accesses of `accessBytes` (4, 8, 16) at these byte offsets, one a
/// lane, are served without a bank conflict: the lanes of one wavefront touch
/// every bank at one word at most.
bool isConflictFree(const std::vector<int64_t> &offsets, int64_t accessBytes);

} // namespace fa::target

#endif // FA_DIALECT_TARGET_SHAREDLAYOUT_H
