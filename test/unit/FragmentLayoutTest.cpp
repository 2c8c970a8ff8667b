// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every lane and register of every layout, against the formulas of the PTX ISA
// (sections "Matrix Fragments for mma.m16n8k16 / m16n8k8" and "Register
// Fragments for wgmma"), written out here a second time in their own words.
#include "dialect/Target/FragmentLayout.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

using namespace fa::target;

namespace {

/// groupID and threadID_in_group of the PTX ISA.
int64_t group(int64_t lane) { return lane >> 2; }
int64_t inGroup(int64_t lane) { return lane % 4; }

template <typename Row, typename Col>
void expectLayout(const FragmentLayout &layout, int64_t regs, Row row,
                  Col col) {
  ASSERT_EQ(layout.regs(), regs);
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < regs; ++i) {
      Coord at = layout.coordOf(lane, i);
      EXPECT_EQ(at.row, row(lane, i)) << "lane " << lane << " element " << i;
      EXPECT_EQ(at.col, col(lane, i)) << "lane " << lane << " element " << i;
      EXPECT_TRUE((layout.ownerOf(at.row, at.col) == Owner{0, lane, i}))
          << "lane " << lane << " element " << i;
      seen.insert({at.row, at.col});
    }
  EXPECT_EQ(int64_t(seen.size()), layout.rows * layout.cols);
}

TEST(FragmentLayout, AccumulatorM16N8) {
  expectLayout(
      kAccM16N8, 4,
      [](int64_t lane, int64_t i) { return group(lane) + (i < 2 ? 0 : 8); },
      [](int64_t lane, int64_t i) { return inGroup(lane) * 2 + (i & 1); });
}

TEST(FragmentLayout, OperandAM16K16) {
  expectLayout(
      kAM16K16, 8,
      [](int64_t lane, int64_t i) {
        bool upper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
        return upper ? group(lane) : group(lane) + 8;
      },
      [](int64_t lane, int64_t i) {
        return inGroup(lane) * 2 + (i & 1) + (i >= 4 ? 8 : 0);
      });
}

TEST(FragmentLayout, OperandAM16K8) {
  expectLayout(
      kAM16K8, 4,
      [](int64_t lane, int64_t i) { return group(lane) + (i < 2 ? 0 : 8); },
      [](int64_t lane, int64_t i) { return inGroup(lane) * 2 + (i & 1); });
}

TEST(FragmentLayout, OperandBK16N8) {
  expectLayout(
      kBK16N8, 4,
      [](int64_t lane, int64_t i) {
        return inGroup(lane) * 2 + (i & 1) + (i >= 2 ? 8 : 0);
      },
      [](int64_t lane, int64_t) { return group(lane); });
}

TEST(FragmentLayout, OperandBK8N8) {
  expectLayout(
      kBK8N8, 2, [](int64_t lane, int64_t i) { return inGroup(lane) * 2 + i; },
      [](int64_t lane, int64_t) { return group(lane); });
}

/// coordOf and ownerOf are inverse, and together cover the tile once.
void expectBijection(const GroupLayout &layout) {
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int64_t warp = 0; warp < layout.warps; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < layout.regs(); ++reg) {
        Coord at = layout.coordOf(warp, lane, reg);
        ASSERT_TRUE((layout.ownerOf(at.row, at.col) == Owner{warp, lane, reg}))
            << layout.rows << "x" << layout.cols << " warp " << warp << " lane "
            << lane << " register " << reg;
        ASSERT_TRUE(at.row >= warp * layout.rowsPerWarp() &&
                    at.row < (warp + 1) * layout.rowsPerWarp());
        seen.insert({at.row, at.col});
      }
  EXPECT_EQ(int64_t(seen.size()), layout.rows * layout.cols);
}

TEST(GroupLayout, CoversTheTileOnce) {
  for (FragmentKind kind : {FragmentKind::Accumulator, FragmentKind::OperandA})
    for (int64_t warps : {1, 2, 4, 8})
      for (int64_t blocks : {1, 2, 4})
        for (int64_t cols = 8; cols <= 256; cols += 8)
          expectBijection({kind, 16 * blocks * warps, cols, warps});
}

TEST(GroupLayout, AccumulatorIsThatOfWgmma) {
  // PTX ISA, register fragment D of wgmma.m64nNk16: row = 16 * warp + lane / 4
  // + 8 * ((i % 4) / 2), column = 8 * (i / 4) + 2 * (lane % 4) + i % 2.
  for (int64_t n = 8; n <= 256; n += 8) {
    GroupLayout layout{FragmentKind::Accumulator, 64, n, 4};
    ASSERT_EQ(layout.regs(), n / 2);
    for (int64_t warp = 0; warp < 4; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t i = 0; i < n / 2; ++i) {
          Coord at = layout.coordOf(warp, lane, i);
          EXPECT_EQ(at.row, 16 * warp + lane / 4 + 8 * (i % 4 / 2));
          EXPECT_EQ(at.col, 8 * (i / 4) + 2 * (lane % 4) + i % 2);
        }
  }
}

TEST(GroupLayout, AccumulatorRegistersAreTheOperandsRegisters) {
  for (int64_t rows : {64, 128})
    for (int64_t cols = 8; cols <= 256; cols += 8) {
      GroupLayout acc{FragmentKind::Accumulator, rows, cols, 4};
      GroupLayout a{FragmentKind::OperandA, rows, cols, 4};
      ASSERT_EQ(acc.regs(), a.regs());
      for (int64_t warp = 0; warp < 4; ++warp)
        for (int64_t lane = 0; lane < 32; ++lane)
          for (int64_t reg = 0; reg < acc.regs(); ++reg)
            ASSERT_TRUE(acc.coordOf(warp, lane, reg) ==
                        a.coordOf(warp, lane, reg))
                << rows << "x" << cols << " register " << reg;
    }
}

TEST(RowLayout, FollowsTheAccumulator) {
  for (int64_t rows : {64, 128, 256})
    for (int64_t cols : {8, 40, 128}) {
      GroupLayout acc{FragmentKind::Accumulator, rows, cols, 4};
      RowLayout layout{rows, 4};
      ASSERT_EQ(layout.regs(), rows / 4 / 8);
      for (int64_t warp = 0; warp < 4; ++warp)
        for (int64_t lane = 0; lane < 32; ++lane)
          for (int64_t reg = 0; reg < acc.regs(); ++reg)
            EXPECT_EQ(
                layout.rowOf(warp, lane, RowLayout::regOfElement(acc, reg)),
                acc.coordOf(warp, lane, reg).row);
    }
}

} // namespace
