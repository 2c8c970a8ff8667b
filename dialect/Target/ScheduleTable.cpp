// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/ScheduleTable.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

using namespace fa::target;

const ScheduleTable &fa::target::scheduleTable() {
  static const ScheduleTable table = [] {
    ScheduleTable read;
    std::string wrong = readSchedules(shippedSchedules(), read);
    if (!wrong.empty()) {
      std::fprintf(stderr, "schedules.txt: %s\n", wrong.c_str());
      std::abort();
    }
    return read;
  }();
  return table;
}

MaskClass fa::target::maskClass(bool left, bool right) {
  if (left)
    return right ? WindowMask : LeftMask;
  return right ? CausalMask : Unmasked;
}

static std::string_view otherFor(std::string_view chip) {
  for (const LikeChip &like : scheduleTable().likes)
    if (like.chip == chip)
      return like.other;
  return {};
}

static bool takes(const ScheduleRow &row, const ScheduleQuery &query) {
  return query.qkDim <= row.maxQkDim && query.vDim <= row.maxVDim &&
         query.qkDim % row.dimMultiple == 0 &&
         query.vDim % row.dimMultiple == 0 &&
         !(row.wide && (query.extras || (row.tma && query.packed))) &&
         !(row.region && !query.region) && (row.masks & query.mask) != 0 &&
         (row.type == "any" || row.type == query.type);
}

std::vector<ScheduleRow>
fa::target::chooseSchedules(const ScheduleQuery &query) {
  std::vector<ScheduleRow> rows;
  for (std::string_view wanted : {query.chip, otherFor(query.chip)})
    for (const ScheduleRow &row : scheduleTable().rows) {
      if (row.chip != wanted || !takes(row, query))
        continue;
      // A later row that asks no less than an earlier one is never taken.
      if (!rows.empty() && row.tma && rows.back().mostKeys == 0)
        continue;
      // One that takes more keys and says the same takes its place.
      if (!rows.empty() && row.tma && rows.back().tma && row.mostKeys == 0 &&
          row.fields == rows.back().fields)
        rows.pop_back();
      rows.push_back(row);
      if (!row.isConditional())
        return rows;
    }
  return rows;
}

bool fa::target::fitsWgmma(int64_t queryTile, int64_t keyTile, int64_t warps,
                           int64_t qkDim, int64_t vDim) {
  constexpr int64_t kWarps = 4, kRowsPerWarp = 16, kStep = 16;
  return warps % kWarps == 0 && queryTile == kRowsPerWarp * warps &&
         keyTile % kStep == 0 && qkDim % kStep == 0 && vDim % kStep == 0;
}

int64_t fa::target::keyTileWith(Needs needs, const ScheduleRow &row,
                                std::string_view chip) {
  if (row.chip == "cpu" || needs == Needs::Nothing)
    return row.keyTile;
  // The roles of sm_90a have registers for what a region computes, but not
  // for the addresses and values of all the elements of a tile that it reads
  // (ptxas spilled up to 150 words), and three warpgroups have fewer.
  constexpr int64_t kWarpsOfTwo = 8;
  if (row.tma && needs == Needs::RegionThatReads)
    return row.keyTile / 8 * (row.warps > kWarpsOfTwo ? 3 : 6);
  if (row.tma)
    return row.keyTile;
  // With mma.sync a region's values need registers while the scores do, and the
  // length of the queries over the whole loop (ptxas spilled 8 to 16 bytes).
  // For sm_90a it spills more, and beside an accumulator of 128 columns
  // whatever is needed.
  constexpr int64_t kWideColumns = 120;
  constexpr int64_t kMostTight = 16, kMostWithThreshold = 24,
                    kMostWithRegion = 32, kMostWithLengths = 48;
  bool isFull = row.warps * 32 == row.queryTile, isHopper = chip == "sm_90a";
  bool isWide = isFull && row.maxVDim > kWideColumns;
  if (isWide && isHopper)
    return std::min(row.keyTile, kMostTight);
  if (isWide && needs == Needs::RegionThatReads && row.threshold > 0)
    return std::min(row.keyTile, kMostWithThreshold);
  if (needs >= Needs::Region)
    return std::min(row.keyTile, kMostWithRegion);
  bool isShort = (isWide && needs == Needs::RowLengths) || (isFull && isHopper);
  return isShort ? std::min(row.keyTile, kMostWithLengths) : row.keyTile;
}

/// Each chip once, sorted.
static std::set<std::string_view> chips() {
  std::set<std::string_view> found;
  for (const ScheduleRow &row : scheduleTable().rows)
    found.insert(row.chip);
  for (const LikeChip &like : scheduleTable().likes)
    found.insert(like.chip);
  return found;
}

bool fa::target::knowsChip(std::string_view chip) {
  return chips().count(chip) != 0;
}

std::string fa::target::knownChips() {
  std::string names;
  for (std::string_view chip : chips())
    (names += names.empty() ? "" : ", ") += chip;
  return names;
}
