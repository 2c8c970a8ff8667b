// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/ScheduleTable.h"

#include <algorithm>

using namespace fa::target;

static constexpr ScheduleRow kRows[] = {
    // CPU: 128 x 64 keeps S, P and the accumulator of a tile in the
    // second-level cache, and was the fastest of the sizes tried with AVX2 and
    // AVX-512.
    {"cpu", /*maxQkDim=*/256, /*maxVDim=*/256, /*queryTile=*/128,
     /*keyTile=*/64, /*warps=*/1, /*stages=*/1, /*qInRegisters=*/false},
    // sm_80: four warps of 32 rows; registers hold S and the
    // accumulator of 128 columns, not more. One place each for K and V lets two
    // blocks share an SM and was faster than a ring of two at every length
    // (tools/bench, H200: D 64 by 33 to 45 %, D 128 by 0 to 14 %).
    {"sm_80", 104, 104, 128, 80, 4, 1, false},
    {"sm_80", 112, 112, 128, 72, 4, 1, false},
    {"sm_80", 128, 128, 128, 64, 4, 1, false},
    // Beyond 128 columns a warp keeps 16 rows, so that the accumulator fits.
    {"sm_80", 256, 256, 64, 64, 4, 1, false},
};

std::optional<ScheduleRow>
fa::target::chooseSchedule(std::string_view chip, int64_t qkDim, int64_t vDim) {
  for (const ScheduleRow &row : kRows)
    if (row.chip == chip && qkDim <= row.maxQkDim && vDim <= row.maxVDim)
      return row;
  return std::nullopt;
}

int64_t fa::target::keyTileWithRegions(const ScheduleRow &row) {
  // On a GPU a region's values need registers while the scores do.
  constexpr int64_t kMostKeys = 32;
  return row.chip == "cpu" ? row.keyTile : std::min(row.keyTile, kMostKeys);
}

bool fa::target::knowsChip(std::string_view chip) {
  for (const ScheduleRow &row : kRows)
    if (row.chip == chip)
      return true;
  return false;
}
