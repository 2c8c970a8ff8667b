// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Cpu/RegisterTiles.h"

#include "gtest/gtest.h"

using namespace mlir::fa;

namespace {

TEST(RegisterTiles, CoverEveryHeadDimExactly) {
  for (unsigned bits : {256u, 512u})
    for (int64_t n = 8; n <= 256; n += 8)
      for (int64_t m : {1, 3, 4, 16, 64, 96, 128}) {
        int64_t covered = 0;
        for (const Segment &segment : chooseRegisterTiles(bits, m, n)) {
          covered += segment.width();
          EXPECT_EQ(m % segment.tile.mr, 0) << m << " x " << n;
          EXPECT_GT(segment.count, 0);
        }
        EXPECT_EQ(covered, n) << bits << " bits";
      }
}

/// Accumulators, one row of B and a broadcast fit into the registers.
TEST(RegisterTiles, FitIntoTheRegisters) {
  for (unsigned bits : {256u, 512u})
    for (int64_t n = 8; n <= 256; n += 8)
      for (const Segment &segment : chooseRegisterTiles(bits, 128, n)) {
        int64_t lanes = bits / 32;
        int64_t vectors = (segment.tile.nr + lanes - 1) / lanes;
        EXPECT_LE((segment.tile.mr + 1) * vectors + 1, bits == 256 ? 16 : 32);
      }
}

TEST(RegisterTiles, RefusesWhatItHasNoTileFor) {
  EXPECT_TRUE(chooseRegisterTiles(256, 64, 20).empty());
  EXPECT_TRUE(chooseRegisterTiles(256, 64, 0).empty());
  EXPECT_TRUE(chooseRegisterTiles(128, 64, 64).empty());
  EXPECT_TRUE(chooseRegisterTiles(256, 0, 64).empty());
}

} // namespace
