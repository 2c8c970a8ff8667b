// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which schedule an attention op gets where it says none: rows asked from the
// first to the last. No MLIR here.
#ifndef FA_DIALECT_TARGET_SCHEDULETABLE_H
#define FA_DIALECT_TARGET_SCHEDULETABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fa::target {

/// The fields of `#fa.schedule`, which documents them.
struct ScheduleRow {
  /// Chip that the row is for: "cpu", "sm_80", ...
  std::string_view chip;
  /// Largest head dimensions (Dqk, Dv) that the row takes.
  int64_t maxQkDim, maxVDim;
  /// What both of them are multiples of.
  int64_t dimMultiple;
  int64_t queryTile, keyTile, warps, stages;
  bool splitMask = false, backward = false;
  int64_t qBuffers = 1;
  bool rotate = false;
  int64_t threshold = 0, vWait = 0;
  bool pingPong = false;
  enum Grid { Blocks, Strided, Counter } grid = Blocks;
  bool tmaStore = false;
  /// Whether tiles come by TMA; tensors that it cannot load take a later row.
  bool tma = false;
  /// Most keys that the row is for; 0 takes any number.
  int64_t mostKeys = 0;
  int64_t headGroup = 0;
  /// Whether the row is for masks with a right bound (causal ones) alone.
  bool rightBound = false;
  /// Whether the next query tile's first scores are started early.
  bool overlapTiles = false;

  bool isConditional() const { return tma || mostKeys != 0; }
};

/// The rows for `chip`, then for the chip whose rows it takes behind its own,
/// that take these head dimensions and this kind of mask, up to the first that
/// takes every launch: of several, a launch takes the first whose conditions
/// hold. Empty where there is none.
std::vector<ScheduleRow> chooseSchedules(std::string_view chip, int64_t qkDim,
                                         int64_t vDim, bool rightBound);

/// Whether tiles of these sizes suit wgmma: a warpgroup has 64 rows, products
/// step by 16 (PTX ISA, wgmma.mma_async).
bool fitsWgmma(int64_t queryTile, int64_t keyTile, int64_t warps, int64_t qkDim,
               int64_t vDim);

/// The row's key tile for an op with a score or mask region.
int64_t keyTileWithRegions(const ScheduleRow &row);

/// Whether the table has rows for `chip`.
bool knowsChip(std::string_view chip);

/// The chips that it has rows for, separated by ", ": for messages.
std::string knownChips();

} // namespace fa::target

#endif // FA_DIALECT_TARGET_SCHEDULETABLE_H
