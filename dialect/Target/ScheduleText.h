// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of schedules as a text, and read: schedules.txt says what a line
// holds. No MLIR here.
#ifndef FA_DIALECT_TARGET_SCHEDULETEXT_H
#define FA_DIALECT_TARGET_SCHEDULETEXT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fa::target {

/// Masks told apart by which bounds they have; a row is for a set of them.
enum MaskClass : unsigned {
  Unmasked = 1,
  CausalMask = 2,
  WindowMask = 4,
  LeftMask = 8,
  AnyMask = 15
};

/// One row; absent fields have these defaults, which are `#fa.schedule`'s.
struct ScheduleRow {
  // What the row is for.
  /// "cpu", "sm_80", ...
  std::string chip;
  /// "f16", "bf16" or "any".
  std::string type = "any";
  /// Largest head dimensions (Dqk, Dv) that the row takes.
  int64_t maxQkDim = 0, maxVDim = 0;
  /// What both of them are multiples of.
  int64_t dimMultiple = 8;
  /// Bits of MaskClass.
  unsigned masks = AnyMask;
  /// Most keys that the row is for; 0 takes any number.
  int64_t mostKeys = 0;
  /// Whether tiles come by TMA; tensors that it cannot load take a later row.
  bool tma = false;
  /// Whether rows of tensors have to be aligned to 16 bytes, as TMA wants them
  /// too, and the op may have no extras (ScheduleQuery).
  bool wide = false;
  /// Whether it is for ops with a score or mask region alone.
  bool region = false;

  // The fields of `#fa.schedule`, which documents them.
  int64_t queryTile = 0, keyTile = 0, warps = 4, stages = 2;
  enum MaskStyle { Every, Guard, Split } mask = Guard;
  bool backward = false;
  int64_t qBuffers = 1;
  bool rotate = false;
  int64_t threshold = 0, vWait = 0;
  bool pingPong = false;
  enum Grid { Blocks, Strided, Counter } grid = Blocks;
  bool tmaStore = false;
  int64_t headGroup = 0;
  bool overlapTiles = false;
  int64_t qRegisters = 0;

  /// Where the row stands in its text, and its fields as they stand there.
  int line = 0;
  std::string fields;

  bool isConditional() const { return tma || wide || mostKeys != 0; }
};

/// A chip that takes another chip's rows behind its own.
struct LikeChip {
  std::string chip, other;
};

struct ScheduleTable {
  std::vector<ScheduleRow> rows;
  std::vector<LikeChip> likes;
};

/// Reads `text` into `table`. Empty, or what is wrong with which line and
/// field.
std::string readSchedules(std::string_view text, ScheduleTable &table);

/// The text of the table that the library was built with.
std::string_view shippedSchedules();

} // namespace fa::target

#endif // FA_DIALECT_TARGET_SCHEDULETEXT_H
