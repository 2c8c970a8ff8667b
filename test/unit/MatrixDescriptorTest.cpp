// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/MatrixDescriptor.h"

#include <gtest/gtest.h>

using namespace fa::target;

namespace {

SharedLayout tile(int64_t rows, int64_t cols, int64_t panelRows) {
  return {rows, cols, 2, Swizzle::Sw128, panelRows};
}

/// The descriptor's field of 14 bits from `first` on.
uint64_t field(uint64_t bits, int first) { return bits >> first & 0x3fff; }

TEST(MatrixDescriptor, KMajorStridesOver8Rows) {
  uint64_t bits = matrixDescriptor(tile(128, 128, 128), TileRows::Outer).bits();
  EXPECT_EQ(field(bits, 0), 0u);
  EXPECT_EQ(field(bits, 16), 1u);
  EXPECT_EQ(field(bits, 32), 1024u / 16);
  EXPECT_EQ(bits >> 62, 1u);
}

TEST(MatrixDescriptor, MnMajorLeadsOverPanels) {
  uint64_t bits = matrixDescriptor(tile(96, 128, 96), TileRows::K).bits();
  EXPECT_EQ(field(bits, 16), 96u * 128 / 16);
  EXPECT_EQ(field(bits, 32), 1024u / 16);
  EXPECT_EQ(bits >> 62, 1u);
}

TEST(MatrixDescriptor, KMajorStepsInAndOverPanels) {
  // A band of 64 rows of a tile of 128: panels are 128 rows apart.
  SharedLayout band = tile(64, 128, 128);
  for (int64_t step = 0; step < 8; ++step)
    EXPECT_EQ(wgmmaStepBytes(band, TileRows::Outer, step),
              step / 4 * 128 * 128 + step % 4 * 32);
}

TEST(MatrixDescriptor, StepsFollowTheLayout) {
  // In row 0 the swizzle moves nothing, so a step's first byte is where the
  // layout has its first element.
  SharedLayout layout = tile(128, 192, 128);
  for (int64_t step = 0; step < 12; ++step)
    EXPECT_EQ(wgmmaStepBytes(layout, TileRows::Outer, step),
              layout.byteOffset(0, step * kWgmmaK));
  for (int64_t step = 0; step < 8; ++step)
    EXPECT_EQ(wgmmaStepBytes(layout, TileRows::K, step),
              layout.byteOffset(step * kWgmmaK, 0));
}

} // namespace
