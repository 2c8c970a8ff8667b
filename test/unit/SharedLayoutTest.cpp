// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/SharedLayout.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

using namespace fa::target;

namespace {

SharedLayout halves(int64_t rows, int64_t cols, Swizzle swizzle) {
  return {rows, cols, 2, swizzle, rows};
}

/// Every element has a place of its own inside the tile, and the 8 halves of a
/// chunk stay together.
void expectPlaces(const SharedLayout &layout) {
  std::set<int64_t> places;
  for (int64_t row = 0; row < layout.rows; ++row)
    for (int64_t col = 0; col < layout.cols; ++col) {
      int64_t at = layout.byteOffset(row, col);
      EXPECT_GE(at, 0);
      EXPECT_LE(at + layout.elementBytes, layout.byteSize());
      EXPECT_EQ(at % kChunkBytes, col * layout.elementBytes % kChunkBytes);
      places.insert(at);
    }
  EXPECT_EQ(int64_t(places.size()), layout.rows * layout.cols);
}

/// The eight addresses of one ldmatrix matrix: rows 8i to 8i + 7, one chunk.
void expectLdmatrix(const SharedLayout &layout) {
  for (int64_t row = 0; row < layout.rows; row += 8)
    for (int64_t col = 0; col < layout.cols; col += 8) {
      std::vector<int64_t> offsets;
      for (int64_t i = 0; i < 8; ++i)
        offsets.push_back(layout.byteOffset(row + i, col));
      EXPECT_TRUE(isConflictFree(offsets, 16))
          << layout.cols << " columns, row " << row << ", column " << col;
    }
}

/// A warp that writes 32 chunks in row-major order, 16 bytes a lane.
void expectCopies(const SharedLayout &layout) {
  int64_t chunks = layout.chunksPerRow();
  for (int64_t first = 0; first + 32 <= layout.rows * chunks; first += 32) {
    std::vector<int64_t> offsets;
    for (int64_t i = first; i < first + 32; ++i)
      offsets.push_back(layout.byteOffset(i / chunks, i % chunks * 8));
    EXPECT_TRUE(isConflictFree(offsets, 16))
        << layout.cols << " columns, chunk " << first;
  }
}

/// A warp that writes one register of an accumulator, two halves a lane.
void expectPut(const SharedLayout &layout) {
  for (int64_t row = 0; row < layout.rows; row += 8)
    for (int64_t col = 0; col < layout.cols; col += 8) {
      std::vector<int64_t> offsets;
      for (int64_t lane = 0; lane < 32; ++lane)
        offsets.push_back(
            layout.byteOffset(row + lane / 4, col + 2 * (lane % 4)));
      EXPECT_TRUE(isConflictFree(offsets, 4))
          << layout.cols << " columns, row " << row << ", column " << col;
    }
}

TEST(SharedLayout, XorHasAPlaceForEachElement) {
  for (int64_t cols = 8; cols <= 256; cols += 8) {
    SharedLayout layout = halves(64, cols, Swizzle::Xor);
    EXPECT_EQ(layout.byteSize(), 64 * cols * 2);
    expectPlaces(layout);
  }
}

TEST(SharedLayout, XorFollowsItsFormula) {
  // 128 columns: 16 chunks, groups of 8, another exchange each row.
  EXPECT_EQ(halves(64, 128, Swizzle::Xor).storedChunk(5, 9), 9 ^ 5);
  // 48 columns: 6 chunks, groups of 2, another exchange each 4 rows.
  EXPECT_EQ(halves(64, 48, Swizzle::Xor).storedChunk(3, 4), 4);
  EXPECT_EQ(halves(64, 48, Swizzle::Xor).storedChunk(4, 4), 5);
  // 72 columns: an odd number of chunks needs no exchange.
  EXPECT_EQ(halves(64, 72, Swizzle::Xor).storedChunk(7, 8), 8);
}

TEST(SharedLayout, XorIsFreeOfBankConflicts) {
  for (int64_t cols = 8; cols <= 256; cols += 8) {
    SharedLayout layout = halves(64, cols, Swizzle::Xor);
    expectLdmatrix(layout);
    expectCopies(layout);
    expectPut(layout);
  }
}

TEST(SharedLayout, Sw128HasAPlaceForEachElement) {
  for (int64_t cols = 8; cols <= 256; cols += 8) {
    SharedLayout layout = halves(64, cols, Swizzle::Sw128);
    EXPECT_EQ(layout.byteSize(), (cols + 63) / 64 * 64 * 128);
    expectPlaces(layout);
  }
}

TEST(SharedLayout, Sw128IsTheHardwaresSwizzle) {
  // CUDA driver API, CU_TENSOR_MAP_SWIZZLE_128B: address bits 4 to 6 are
  // exchanged with bits 7 to 9.
  SharedLayout layout = halves(128, 128, Swizzle::Sw128);
  for (int64_t row = 0; row < 128; ++row)
    for (int64_t col = 0; col < 128; ++col) {
      int64_t plain = col / 64 * 128 * 128 + row * 128 + col % 64 * 2;
      EXPECT_EQ(layout.byteOffset(row, col), plain ^ (plain >> 7 & 7) << 4);
    }
}

TEST(SharedLayout, Sw128IsFreeOfBankConflicts) {
  for (int64_t cols = 64; cols <= 256; cols += 64) {
    SharedLayout layout = halves(64, cols, Swizzle::Sw128);
    expectLdmatrix(layout);
    expectCopies(layout);
    expectPut(layout);
  }
}

TEST(SharedLayout, BandOfRowsStandsInItsTile) {
  SharedLayout tile = halves(128, 128, Swizzle::Sw128);
  SharedLayout band = {64, 128, 2, Swizzle::Sw128, 128};
  int64_t start = tile.byteOffset(64, 0);
  EXPECT_EQ(start, 64 * 128);
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t col = 0; col < 128; ++col)
      EXPECT_EQ(start + band.byteOffset(row, col),
                tile.byteOffset(64 + row, col));
}

TEST(SharedLayout, ConflictsAreSeen) {
  // Two rows of 128 bytes at one chunk column use the same banks.
  EXPECT_FALSE(isConflictFree({0, 128}, 16));
  // The same word may be read by several lanes.
  EXPECT_TRUE(isConflictFree({0, 0, 4}, 4));
  // Lanes of different wavefronts do not meet.
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < 16; ++i)
    offsets.push_back(i * 16);
  EXPECT_TRUE(isConflictFree(offsets, 16));
}

} // namespace
