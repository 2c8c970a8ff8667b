// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/FragmentLayout.h"

namespace fa::target {

Coord FragmentLayout::coordOf(int64_t lane, int64_t reg) const {
  int64_t q = lane / 4, p = lane % 4;
  Coord at = {q * quad.row + p * pair.row, q * quad.col + p * pair.col};
  for (std::size_t bit = 0; bit < bits.size(); ++bit) {
    if (!(reg >> bit & 1))
      continue;
    at.row += bits[bit].row;
    at.col += bits[bit].col;
  }
  return at;
}

Owner FragmentLayout::ownerOf(int64_t row, int64_t col) const {
  // Every stride is a power of two and no two overlap, so each part is read off
  // by its own digit: 8 quads of stride 1, 4 pairs of stride 2.
  int64_t q = quad.row ? row % 8 : col % 8;
  int64_t p = (pair.row ? row : col) % 8 / 2;
  int64_t reg = 0;
  for (std::size_t bit = 0; bit < bits.size(); ++bit)
    if ((bits[bit].row && (row & bits[bit].row)) ||
        (bits[bit].col && (col & bits[bit].col)))
      reg |= int64_t(1) << bit;
  return {0, 4 * q + p, reg};
}

GroupLayout::TileAt GroupLayout::tileOfCol(int64_t col) const {
  if (kind == FragmentKind::Accumulator)
    return {&kAccM16N8, col / 8 * 8, col / 8 * kAccM16N8.regs()};
  int64_t tile = col / 16;
  bool half = tile * 16 + 16 > cols;
  return {half ? &kAM16K8 : &kAM16K16, tile * 16, tile * kAM16K16.regs()};
}

GroupLayout::TileAt GroupLayout::tileOfReg(int64_t reg) const {
  // Each column of a 16-row block is half an element a lane, in either kind.
  return tileOfCol(2 * reg);
}

Coord GroupLayout::coordOf(int64_t warp, int64_t lane, int64_t reg) const {
  int64_t block = reg / regsPerBlock(), inBlock = reg % regsPerBlock();
  TileAt tile = tileOfReg(inBlock);
  Coord at = tile.layout->coordOf(lane, inBlock - tile.firstReg);
  return {warp * rowsPerWarp() + block * 16 + at.row, tile.firstCol + at.col};
}

Owner GroupLayout::ownerOf(int64_t row, int64_t col) const {
  int64_t inWarp = row % rowsPerWarp();
  TileAt tile = tileOfCol(col);
  Owner owner = tile.layout->ownerOf(inWarp % 16, col - tile.firstCol);
  return {row / rowsPerWarp(), owner.lane,
          inWarp / 16 * regsPerBlock() + tile.firstReg + owner.reg};
}

int64_t RowLayout::rowOf(int64_t warp, int64_t lane, int64_t reg) const {
  return warp * (rows / warps) + 16 * (reg / 2) + 8 * (reg % 2) + lane / 4;
}

int64_t RowLayout::regOfElement(const GroupLayout &group, int64_t reg) {
  return 2 * (reg / group.regsPerBlock()) + (reg >> 1 & 1);
}

} // namespace fa::target
