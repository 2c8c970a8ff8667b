// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/TileCount.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
struct KeySpan {
  int64_t begin, end;
  int64_t size() const { return std::max<int64_t>(0, end - begin); }
};

/// The keys that a mask keeps for a row.
class Rows {
public:
  Rows(MaskAttr mask, int64_t queries, int64_t keys)
      : mask(mask), keys(keys),
        offset(mask.getAlignment() == Alignment::BottomRight ? keys - queries
                                                             : 0) {}

  KeySpan kept(int64_t i) const {
    KeySpan range{0, keys};
    if (auto left = mask.getLeftBound())
      range.begin = std::max<int64_t>(0, i + offset - *left);
    if (auto right = mask.getRightBound())
      range.end = std::min(keys, i + offset + *right + 1);
    return range;
  }

private:
  MaskAttr mask;
  int64_t keys, offset;
};
} // namespace

/// Adds the key tiles of the query tile [first, end).
static void addQueryTile(const Rows &rows, int64_t first, int64_t end,
                         int64_t keys, int64_t keyTile, TileCount &count) {
  KeySpan some = rows.kept(first), every = rows.kept(first);
  for (int64_t i = first; i < end; ++i) {
    KeySpan row = rows.kept(i);
    count.kept += row.size();
    some = {std::min(some.begin, row.begin), std::max(some.end, row.end)};
    every = {std::max(every.begin, row.begin), std::min(every.end, row.end)};
  }
  for (int64_t j = 0; j < keys; j += keyTile) {
    bool visited = j < some.end && j + keyTile > some.begin && some.size() > 0;
    bool full = j >= every.begin && j + keyTile <= every.end;
    ++count.all;
    count.visited += visited;
    count.masked += visited && !full;
  }
}

std::optional<TileCount> mlir::fa::countTiles(AttentionOp op) {
  int64_t queries = op.getQType().getDimSize(op.getSeqDim());
  int64_t keys = op.getKType().getDimSize(op.getSeqDim());
  bool isStatic =
      llvm::all_of(ArrayRef<ShapedType>{op.getQType(), op.getKType(),
                                        op.getVType(), op.getOutputType()},
                   [](ShapedType type) { return type.hasStaticShape(); });
  if (!op.getSchedule() || op.isPacked() || !isStatic)
    return std::nullopt;
  ScheduleAttr schedule = *op.getSchedule();
  Rows rows(op.getMaskOrDefault(), queries, keys);
  TileCount count;
  for (int64_t i = 0; i < queries; i += schedule.getQueryTile())
    addQueryTile(rows, i, std::min(queries, i + schedule.getQueryTile()), keys,
                 schedule.getKeyTile(), count);
  return count;
}
