// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of schedules.txt and its errors, and the rows that are shipped.
#include "dialect/Target/ScheduleTable.h"
#include "dialect/Target/GpuTarget.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace fa::target;

namespace {

std::string errorOf(const std::string &text) {
  ScheduleTable table;
  return readSchedules(text, table);
}

TEST(ScheduleText, ReadsRowsLikesAndComments) {
  ScheduleTable table;
  ASSERT_EQ(readSchedules("# a comment\n\n"
                          "chip = x, type = bf16, qk_dim = 64, v_dim = 32, "
                          "dim_multiple = 16, mask = causal|window, most_keys "
                          "= 512, tma = true : query_tile = 192, key_tile = "
                          "128, warps = 12, mask = split, walk = backward, "
                          "grid = counter # why\n"
                          "chip=y,like=x",
                          table),
            "");
  ASSERT_EQ(table.rows.size(), 1u);
  const ScheduleRow &row = table.rows[0];
  EXPECT_EQ(row.chip, "x");
  EXPECT_EQ(row.type, "bf16");
  EXPECT_EQ(row.maxQkDim, 64);
  EXPECT_EQ(row.maxVDim, 32);
  EXPECT_EQ(row.masks, unsigned(CausalMask | WindowMask));
  EXPECT_EQ(row.mostKeys, 512);
  EXPECT_TRUE(row.tma && row.backward && !row.rotate);
  EXPECT_EQ(row.mask, ScheduleRow::Split);
  EXPECT_EQ(row.grid, ScheduleRow::Counter);
  EXPECT_EQ(row.warps, 12);
  EXPECT_EQ(row.stages, 2); // the default
  EXPECT_EQ(row.line, 3);
  ASSERT_EQ(table.likes.size(), 1u);
  EXPECT_EQ(table.likes[0].other, "x");
}

TEST(ScheduleText, ErrorsNameLineAndField) {
  const std::string row = "chip = x, qk_dim = 64, v_dim = 64 : query_tile = "
                          "64, key_tile = 64";
  EXPECT_EQ(errorOf(row + ", pace = 1"), "line 1: unknown field 'pace'");
  EXPECT_EQ(errorOf("\n" + row + ", warps = many"),
            "line 2: field 'warps' expects a number from 1, got 'many'");
  EXPECT_EQ(errorOf(row + ", stages = 0"),
            "line 1: field 'stages' expects a number from 1, got '0'");
  EXPECT_EQ(errorOf(row + ", rotate = 1"),
            "line 1: field 'rotate' expects one of true, false, got '1'");
  EXPECT_EQ(errorOf(row + ", key_tile = 8"),
            "line 1: field 'key_tile' stands there twice");
  EXPECT_EQ(errorOf(row + ", split"),
            "line 1: expects 'field = value', got 'split'");
  EXPECT_EQ(errorOf("chip = x, qk_dim = 64, v_dim = 64 : key_tile = 64"),
            "line 1: field 'query_tile' is missing");
  EXPECT_EQ(errorOf("chip = x, qk_dim = 64"), "line 1: unknown field 'qk_dim'");
  EXPECT_EQ(errorOf("mask = causal|left|odd, " + row),
            "line 1: field 'mask' expects one of any, none, causal, window, "
            "left, or several with | between them, got 'causal|left|odd'");
  EXPECT_EQ(errorOf("type = f32, " + row),
            "line 1: field 'type' expects one of any, bf16, f16, got 'f32'");
}

std::vector<std::string_view> chipsOf(const ScheduleRow &row) {
  std::vector<std::string_view> chips{row.chip};
  for (const LikeChip &like : scheduleTable().likes)
    if (like.other == row.chip)
      chips.push_back(like.chip);
  return chips;
}

/// 16-bit elements of K, V and a block's queries.
int64_t sharedBytes(const ScheduleRow &row) {
  int64_t keys = row.stages * row.keyTile * (row.maxQkDim + row.maxVDim);
  return 2 * (row.qBuffers * row.queryTile * row.maxQkDim + keys);
}

TEST(ShippedSchedules, EveryRowIsLegalForItsChip) {
  for (const ScheduleRow &row : scheduleTable().rows) {
    SCOPED_TRACE("schedules.txt:" + std::to_string(row.line));
    EXPECT_EQ(row.maxQkDim % row.dimMultiple, 0);
    EXPECT_EQ(row.maxVDim % row.dimMultiple, 0);
    EXPECT_EQ(row.keyTile % 8, 0);
    EXPECT_LE(row.vWait, row.keyTile);
    EXPECT_EQ(row.qRegisters % 16, 0);
    for (std::string_view chip : chipsOf(row)) {
      if (chip == "cpu")
        continue;
      const GpuTarget *target = findGpuTarget(chip);
      ASSERT_NE(target, nullptr) << chip;
      EXPECT_EQ(row.queryTile % (16 * row.warps), 0);
      EXPECT_LE(32 * row.warps, target->threadsPerBlock);
      EXPECT_LE(sharedBytes(row), target->sharedBytesPerBlock);
      // Where a block's threads have half of the registers, two share an SM.
      if (row.queryTile == 128 && row.warps == 4) {
        EXPECT_LE(2 * (sharedBytes(row) + 1024), target->sharedBytesPerSm);
      }
      if (row.tma) {
        EXPECT_TRUE(target->hasTma);
        EXPECT_TRUE(fitsWgmma(row.queryTile, row.keyTile, row.warps,
                              row.maxQkDim, row.maxVDim));
      }
    }
  }
}

bool isAmong(const ScheduleRow &row, const std::vector<ScheduleRow> &chosen) {
  return std::any_of(chosen.begin(), chosen.end(), [&](const ScheduleRow &one) {
    return one.line == row.line;
  });
}

/// Whether an op with the row's largest head dims, of some type and mask, takes
/// it.
bool isReachable(const ScheduleRow &row) {
  for (const char *type : {"f16", "bf16"})
    for (MaskClass mask : {Unmasked, CausalMask, WindowMask, LeftMask})
      for (auto [extras, region] :
           {std::pair(false, false), {true, false}, {true, true}})
        if (isAmong(row, chooseSchedules({row.chip, type, row.maxQkDim,
                                          row.maxVDim, mask, extras,
                                          /*packed=*/false, region})))
          return true;
  return false;
}

TEST(ShippedSchedules, EveryRowIsReachable) {
  EXPECT_GT(scheduleTable().rows.size(), 10u);
  for (const ScheduleRow &row : scheduleTable().rows)
    EXPECT_TRUE(isReachable(row)) << "schedules.txt:" << row.line;
}

TEST(ShippedSchedules, MaskAndLengthClassesChooseRows) {
  auto rows = chooseSchedules({"sm_90a", "f16", 64, 64, CausalMask});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].mostKeys, 1024);
  EXPECT_TRUE(rows[1].tma && rows[1].mostKeys == 0);
  EXPECT_FALSE(rows[2].isConditional());
  EXPECT_EQ(chooseSchedules({"sm_90a", "f16", 64, 64, LeftMask}).size(), 2u);
  // What needs registers besides does not take the row for many keys, and the
  // one for few is the one for all.
  rows = chooseSchedules({"sm_90a", "f16", 128, 128, CausalMask});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].warps, 12);
  rows = chooseSchedules({"sm_90a", "f16", 128, 128, CausalMask, true});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].mostKeys, 0);
  EXPECT_EQ(rows[0].warps, 8);
  rows = chooseSchedules({"sm_90a", "f16", 128, 128, CausalMask, false, true});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].warps, 8);
  EXPECT_EQ(chooseSchedules({"sm_90a", "f16", 72, 72, Unmasked}).size(), 1u);
  // A row for regions is for these alone, and takes any number of keys.
  rows =
      chooseSchedules({"sm_90a", "f16", 128, 128, Unmasked, true, false, true});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].region && rows[0].vWait > 0);
  rows = chooseSchedules({"sm_90a", "f16", 128, 128, Unmasked, true});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_FALSE(rows[0].region);
}

TEST(ShippedSchedules, EveryChipTakesEveryHeadDimension) {
  for (const char *chip : {"cpu", "sm_80", "sm_86", "sm_89", "sm_90a"}) {
    ASSERT_TRUE(knowsChip(chip));
    for (const char *type : {"f16", "bf16"})
      for (int64_t dim = 8; dim <= 256; dim += 8) {
        auto rows = chooseSchedules({chip, type, dim, dim, Unmasked});
        ASSERT_FALSE(rows.empty()) << chip << " " << dim;
        EXPECT_FALSE(rows.back().isConditional()) << chip << " " << dim;
      }
  }
}

TEST(ShippedSchedules, OnlyTheirChipsAreKnown) {
  EXPECT_EQ(knownChips(), "cpu, sm_80, sm_86, sm_89, sm_90a");
  EXPECT_FALSE(knowsChip("sm_90"));
  EXPECT_FALSE(knowsChip(""));
  EXPECT_TRUE(chooseSchedules({"sm_12", "f16", 64, 64, Unmasked}).empty());
}

} // namespace
