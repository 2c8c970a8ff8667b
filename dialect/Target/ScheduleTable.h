// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which schedule an attention op gets where it says none: rows asked from the
// first to the last; they stand in schedules.txt. No MLIR here.
#ifndef FA_DIALECT_TARGET_SCHEDULETABLE_H
#define FA_DIALECT_TARGET_SCHEDULETABLE_H

#include "dialect/Target/ScheduleText.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fa::target {

/// The table that the library was built with. A mistake in it, which the tests
/// would have found, ends the program with the line.
const ScheduleTable &scheduleTable();

/// Of a mask with these bounds.
MaskClass maskClass(bool left, bool right);

/// What rows are chosen for.
struct ScheduleQuery {
  std::string_view chip;
  /// "f16" or "bf16".
  std::string_view type;
  int64_t qkDim, vDim;
  MaskClass mask;
  /// Whether the op has what needs registers besides (a region, lengths, a
  /// sink, a wider output): wide rows, which leave none, are not for it.
  bool extras = false;
  /// Whether sequences are packed: a launch does not know how many keys each
  /// has, and rows with `tma` and `wide`, for many keys, are not for it.
  bool packed = false;
  /// Whether the op has a region, one of the extras: some rows are for it
  /// alone.
  bool region = false;
};

/// The rows for the chip, then for the chip whose rows it takes behind its own,
/// that take this type, these head dimensions and this kind of mask, up to the
/// first that takes every launch: of several, a launch takes the first whose
/// conditions hold. Empty where there is none.
std::vector<ScheduleRow> chooseSchedules(const ScheduleQuery &query);

/// Whether tiles of these sizes suit wgmma: a warpgroup has 64 rows, products
/// step by 16 (PTX ISA, wgmma.mma_async).
bool fitsWgmma(int64_t queryTile, int64_t keyTile, int64_t warps, int64_t qkDim,
               int64_t vDim);

/// What of an op asks for registers beside the tiles, the least first: packed
/// sequences, lengths of the queries, regions, regions that read memory for
/// each element.
enum class Needs { Nothing, Packed, RowLengths, Region, RegionThatReads };

/// The row's key tile for an op that needs so much, in a kernel for `chip`.
int64_t keyTileWith(Needs needs, const ScheduleRow &row, std::string_view chip);

/// Whether the table has rows for `chip`.
bool knowsChip(std::string_view chip);

/// The chips that it has rows for, separated by ", ": for messages.
std::string knownChips();

} // namespace fa::target

#endif // FA_DIALECT_TARGET_SCHEDULETABLE_H
