// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Cpu/RegisterTiles.h"

#include <limits>

using namespace mlir::fa;

namespace {

/// One row: on registers of `vectorBits`, blocks of tile.mr x tile.nr stay in
/// registers, and one costs `cost` for each row of the result: 100 for each
/// multiply-add, divided by the share of the peak that the tile reaches alone.
struct Row {
  unsigned vectorBits;
  RegisterTile tile;
  int64_t cost;
};

// Shares measured on an Emerald Rapids core, operands in the cache, k of 64 and
// 128: 4x24 0.92 to 0.95, 4x16 0.81 to 0.85, 8x8 0.70 to 0.75; 512 bits: 8x32
// 0.93 to 0.97, 8x16 0.73 to 0.77. Two multiply-adds a cycle with a latency of
// 4 need more than 8 accumulators. 4x24 takes all 16 registers: 12, a row of B,
// a broadcast. 8x8 of 256 bits is rated worse than measured (139), so that 128
// columns are four 24s and two 16s and do not end in a strip of 8, which costs
// the same by the rating. Rows of one vector width stand from wide to narrow;
// wide ones are laid first.
constexpr Row table[] = {
    {256, {4, 24}, 324}, {256, {4, 16}, 238}, {256, {8, 8}, 160},
    {512, {8, 32}, 212}, {512, {8, 16}, 133}, {512, {8, 8}, 139},
};

} // namespace

int64_t mlir::fa::largestDivisorUpTo(int64_t n, int64_t limit) {
  int64_t divisor = std::min(n, limit);
  while (divisor > 1 && n % divisor != 0)
    --divisor;
  return divisor;
}

llvm::SmallVector<Segment> mlir::fa::chooseRegisterTiles(unsigned vectorBits,
                                                         int64_t m, int64_t n) {
  constexpr int64_t unit = 8;
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  if (m < 1 || n < 1 || n % unit != 0)
    return {};

  // best[w]: the least cost of w units of columns, and the row laid last.
  struct Best {
    int64_t cost;
    const Row *row;
  };
  llvm::SmallVector<Best> best(n / unit + 1, Best{never, nullptr});
  best[0].cost = 0;
  for (size_t w = 1; w < best.size(); ++w)
    for (const Row &row : table) {
      size_t units = row.tile.nr / unit;
      if (row.vectorBits != vectorBits || units > w ||
          best[w - units].cost == never)
        continue;
      int64_t cost = best[w - units].cost + row.cost;
      if (cost < best[w].cost)
        best[w] = {cost, &row};
    }
  if (best.back().cost == never)
    return {};

  llvm::SmallVector<Segment> segments;
  for (const Row &row : table) {
    int64_t count = 0;
    for (int64_t w = n / unit; w > 0; w -= best[w].row->tile.nr / unit)
      count += best[w].row == &row;
    if (count > 0)
      segments.push_back(
          {{largestDivisorUpTo(m, row.tile.mr), row.tile.nr}, count});
  }
  return segments;
}
