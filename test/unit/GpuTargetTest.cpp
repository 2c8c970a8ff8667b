// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/GpuTarget.h"
#include "dialect/Target/ScheduleTable.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace fa::target;

namespace {

TEST(GpuTarget, RowsAreFoundByName) {
  const GpuTarget *ampere = findGpuTarget("sm_80");
  ASSERT_NE(ampere, nullptr);
  EXPECT_EQ(ampere->sharedBytesPerBlock, 166912);
  EXPECT_FALSE(ampere->hasTma);
  const GpuTarget *hopper = findGpuTarget("sm_90a");
  ASSERT_NE(hopper, nullptr);
  EXPECT_EQ(hopper->sharedBytesPerBlock, 232448);
  EXPECT_TRUE(hopper->hasTma && hopper->hasWgmma && hopper->hasCpAsync);
}

TEST(GpuTarget, UnknownChipsAreNotFound) {
  EXPECT_EQ(findGpuTarget("sm_90"), nullptr);
  EXPECT_EQ(findGpuTarget(""), nullptr);
}

TEST(GpuTarget, EveryListedNameHasARow) {
  std::string known = knownGpuTargets();
  std::string_view names = known;
  while (!names.empty()) {
    std::string_view name = names.substr(0, names.find(", "));
    const GpuTarget *target = findGpuTarget(name);
    ASSERT_NE(target, nullptr) << name;
    // A resident block costs 1 KB besides what it asks for.
    EXPECT_EQ(target->sharedBytesPerBlock + 1024, target->sharedBytesPerSm);
    names.remove_prefix(std::min(names.size(), name.size() + 2));
  }
}

/// What K, V and a block of queries take, in 16-bit elements, where each has
/// `stages` places or one.
int64_t sharedBytes(const ScheduleRow &row, int64_t dim) {
  return (row.queryTile + 2 * row.stages * row.keyTile) * dim * 2;
}

TEST(ScheduleTable, EveryChipTakesEveryHeadDimension) {
  for (const char *chip : {"sm_80", "sm_86", "sm_89", "sm_90a"}) {
    ASSERT_TRUE(knowsChip(chip));
    const GpuTarget *target = findGpuTarget(chip);
    ASSERT_NE(target, nullptr) << chip;
    for (int64_t dim = 8; dim <= 256; dim += 8) {
      std::vector<ScheduleRow> rows = chooseSchedules(chip, dim, dim, false);
      ASSERT_FALSE(rows.empty()) << chip << " " << dim;
      const ScheduleRow &last = rows.back();
      EXPECT_FALSE(last.isConditional()) << chip << " " << dim;
      int64_t bytes = sharedBytes(last, dim);
      EXPECT_LE(bytes, target->sharedBytesPerBlock) << chip << " " << dim;
      // Where a block's threads have half of the registers, two share an SM.
      if (last.queryTile == 128 && last.warps == 4) {
        EXPECT_LE(2 * (bytes + 1024), target->sharedBytesPerSm)
            << chip << " " << dim;
      }
    }
  }
}

TEST(ScheduleTable, OnlyItsChipsAreKnown) {
  EXPECT_EQ(knownChips(), "cpu, sm_80, sm_86, sm_89, sm_90a");
  EXPECT_FALSE(knowsChip("sm_90"));
  EXPECT_FALSE(knowsChip(""));
  EXPECT_TRUE(chooseSchedules("sm_12", 64, 64, false).empty());
}

} // namespace
