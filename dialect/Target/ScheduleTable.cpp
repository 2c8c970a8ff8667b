// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/ScheduleTable.h"

#include <algorithm>

using namespace fa::target;

static constexpr ScheduleRow kRows[] = {
    // CPU: 128 x 64 keeps S, P and the accumulator of a tile in the
    // second-level cache, and was the fastest of the sizes tried with AVX2 and
    // AVX-512.
    {"cpu", /*maxQkDim=*/256, /*maxVDim=*/256, /*dimMultiple=*/8,
     /*queryTile=*/128, /*keyTile=*/64, /*warps=*/1, /*stages=*/1,
     /*qInRegisters=*/false},
    // sm_80: four warps of 32 rows; registers hold S and the
    // accumulator of 128 columns, not more. One place each for K and V lets two
    // blocks share an SM and was faster than a ring of two at every length
    // (tools/bench, H200: D 64 by 33 to 45 %, D 128 by 0 to 14 %).
    {"sm_80", 104, 104, 8, 128, 80, 4, 1, false},
    {"sm_80", 112, 112, 8, 128, 64, 4, 1, false},
    {"sm_80", 128, 128, 8, 128, 64, 4, 1, false},
    // Beyond 128 columns a warp keeps 16 rows, so that the accumulator fits.
    {"sm_80", 256, 256, 8, 64, 64, 4, 1, false},
    // sm_90a: two warpgroups with 64 rows each; wgmma steps by 16. Scores, an
    // accumulator of 128 columns and P fit the registers of the rotated loop,
    // the wait for PV behind a quarter of the exponentials. A third warpgroup
    // at 64 columns, and that loop beyond 128, need more than there are.
    {"sm_90a", 128, 128, 16, 128, 128, 8, 2, false, /*splitMask=*/true,
     /*backward=*/true, /*qBuffers=*/1, /*rotate=*/true, /*threshold=*/8,
     /*vWait=*/32, /*pingPong=*/true},
    {"sm_90a", 256, 256, 16, 128, 64, 8, 2, false, /*splitMask=*/true,
     /*backward=*/true},
    // Other head dimensions take the kernels of sm_80.
    {"sm_90a", 104, 104, 8, 128, 80, 4, 1, false},
    {"sm_90a", 112, 112, 8, 128, 64, 4, 1, false},
    {"sm_90a", 128, 128, 8, 128, 64, 4, 1, false},
    {"sm_90a", 256, 256, 8, 64, 64, 4, 1, false},
};

std::optional<ScheduleRow> fa::target::chooseSchedule(std::string_view chip,
                                                      int64_t qkDim,
                                                      int64_t vDim,
                                                      bool leftBound) {
  for (const ScheduleRow &row : kRows)
    if (row.chip == chip && qkDim <= row.maxQkDim && vDim <= row.maxVDim &&
        qkDim % row.dimMultiple == 0 && vDim % row.dimMultiple == 0 &&
        !(leftBound && row.splitMask))
      return row;
  return std::nullopt;
}

int64_t fa::target::keyTileWithRegions(const ScheduleRow &row) {
  // With mma.sync a region's values need registers while the scores do; the
  // roles of sm_90a have enough.
  constexpr int64_t kMostKeys = 32;
  bool hasRoles = row.dimMultiple == 16;
  return row.chip == "cpu" || hasRoles ? row.keyTile
                                       : std::min(row.keyTile, kMostKeys);
}

bool fa::target::knowsChip(std::string_view chip) {
  for (const ScheduleRow &row : kRows)
    if (row.chip == chip)
      return true;
  return false;
}
