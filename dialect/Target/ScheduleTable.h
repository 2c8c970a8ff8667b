// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which schedule an attention op gets where it says none: rows asked from the
// first to the last. No MLIR here.
#ifndef FA_DIALECT_TARGET_SCHEDULETABLE_H
#define FA_DIALECT_TARGET_SCHEDULETABLE_H

#include <cstdint>
#include <optional>
#include <string_view>

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
  bool qInRegisters;
  bool splitMask = false, backward = false;
  int64_t qBuffers = 1;
  bool rotate = false;
  int64_t threshold = 0, vWait = 0;
  bool pingPong = false;
  enum Grid { Blocks, Strided, Counter } grid = Blocks;
  bool tmaStore = false;
};

/// The first row for `chip` that takes these head dimensions. A mask with a
/// left bound takes no row that splits the key loop: the loop then is three,
/// which no GPU has checked at every head dimension.
std::optional<ScheduleRow> chooseSchedule(std::string_view chip, int64_t qkDim,
                                          int64_t vDim, bool leftBound);

/// The row's key tile for an op with a score or mask region.
int64_t keyTileWithRegions(const ScheduleRow &row);

/// Whether the table has rows for `chip`.
bool knowsChip(std::string_view chip);

} // namespace fa::target

#endif // FA_DIALECT_TARGET_SCHEDULETABLE_H
