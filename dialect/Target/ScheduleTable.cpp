// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/ScheduleTable.h"

#include <algorithm>
#include <set>

using namespace fa::target;

static constexpr ScheduleRow kRows[] = {
    // CPU: 128 x 64 keeps S, P and the accumulator of a tile in the
    // second-level cache, and was the fastest of the sizes tried with AVX2 and
    // AVX-512.
    {"cpu", /*maxQkDim=*/256, /*maxVDim=*/256, /*dimMultiple=*/8,
     /*queryTile=*/128, /*keyTile=*/64, /*warps=*/1, /*stages=*/1},
    // sm_80: four warps of 32 rows; registers hold S and the
    // accumulator of 128 columns, not more. One place each for K and V lets two
    // blocks share an SM and was faster than a ring of two at every length
    // (tools/bench, H200: D 64 by 33 to 45 %, D 128 by 0 to 14 %). As many keys
    // as ptxas gives registers to without a spill.
    {"sm_80", 64, 64, 8, 128, 96, 4, 1},
    {"sm_80", 88, 88, 8, 128, 72, 4, 1},
    {"sm_80", 96, 96, 8, 128, 64, 4, 1},
    {"sm_80", 104, 104, 8, 128, 72, 4, 1},
    {"sm_80", 112, 112, 8, 128, 64, 4, 1},
    {"sm_80", 120, 120, 8, 128, 56, 4, 1},
    {"sm_80", 128, 128, 8, 128, 64, 4, 1},
    // Beyond 128 columns a warp keeps 16 rows, so that the accumulator fits.
    {"sm_80", 256, 256, 8, 64, 64, 4, 1},
    // sm_86, sm_89: the same, with no more keys than let two blocks share an
    // SM's 100 KB where the head dimension permits. Not measured.
    {"sm_86", 64, 64, 8, 128, 96, 4, 1},
    {"sm_86", 88, 88, 8, 128, 72, 4, 1},
    {"sm_86", 96, 96, 8, 128, 64, 4, 1},
    {"sm_86", 112, 112, 8, 128, 40, 4, 1},
    {"sm_86", 128, 128, 8, 128, 32, 4, 1},
    {"sm_86", 256, 256, 8, 64, 64, 4, 1},
    // sm_90a: warpgroups with 64 rows each; wgmma steps by 16. At 64 columns
    // three of them fit the registers of the rotated loop (H200: 15 % faster
    // than two from 2k keys on). The wait for PV behind all exponentials was as
    // fast as among them, or faster, at every head dimension (tools/bench).
    // Blocks stay and take their next tile from a counter, with Q loaded early
    // where two fit, and O stored under the next tile: at 512 keys, D 128, 1.10
    // of the fastest peer in place of 0.70. Masked tiles go by heads whose K
    // and V stay in the second-level cache. Causal ones of 64 columns are too
    // few for three warpgroups up to 1k keys: 0.91 and 0.95, with two 1.00.
    // clang-format off
    {"sm_90a", 64, 64, 16, 128, 128, 8, 2, /*splitMask=*/true,
     /*backward=*/true, /*qBuffers=*/2, /*rotate=*/true, /*threshold=*/8,
     /*vWait=*/0, /*pingPong=*/true, ScheduleRow::Counter, /*tmaStore=*/true,
     /*tma=*/true, /*mostKeys=*/1024, /*headGroup=*/32, /*rightBound=*/true},
    {"sm_90a", 64, 64, 16, 192, 128, 12, 2, true, true, 2, true, 8, 0, true,
     ScheduleRow::Counter, true, true, 0, 32},
    {"sm_90a", 128, 128, 16, 128, 128, 8, 2, true, true, 2, true, 8, 0,
     true, ScheduleRow::Counter, true, true, 0, 32},
    {"sm_90a", 256, 256, 16, 128, 64, 8, 2, true, true, 1, true, 8, 0,
     true, ScheduleRow::Counter, true, true, 0, 32},
    // clang-format on
};

/// Chips that take another chip's rows behind their own.
struct Like {
  std::string_view chip, other;
};
static constexpr Like kLike[] = {
    {"sm_89", "sm_86"},
    // What TMA cannot load, and what wgmma does not take.
    {"sm_90a", "sm_80"},
};

static std::string_view otherFor(std::string_view chip) {
  for (const Like &like : kLike)
    if (like.chip == chip)
      return like.other;
  return {};
}

std::vector<ScheduleRow> fa::target::chooseSchedules(std::string_view chip,
                                                     int64_t qkDim,
                                                     int64_t vDim,
                                                     bool rightBound) {
  std::vector<ScheduleRow> rows;
  for (std::string_view wanted : {chip, otherFor(chip)})
    for (const ScheduleRow &row : kRows) {
      if (row.chip != wanted || qkDim > row.maxQkDim || vDim > row.maxVDim ||
          qkDim % row.dimMultiple != 0 || vDim % row.dimMultiple != 0 ||
          (row.rightBound && !rightBound))
        continue;
      // A later row that asks no less than an earlier one is never taken.
      if (!rows.empty() && row.tma && rows.back().mostKeys == 0)
        continue;
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

int64_t fa::target::keyTileWithRegions(const ScheduleRow &row) {
  // With mma.sync a region's values need registers while the scores do; the
  // roles of sm_90a have enough.
  constexpr int64_t kMostKeys = 32;
  return row.chip == "cpu" || row.tma ? row.keyTile
                                      : std::min(row.keyTile, kMostKeys);
}

/// Each chip once, sorted.
static std::set<std::string_view> chips() {
  std::set<std::string_view> found;
  for (const ScheduleRow &row : kRows)
    found.insert(row.chip);
  for (const Like &like : kLike)
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
