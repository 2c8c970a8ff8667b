// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lane and register holds which element of a matrix-product operand.
#ifndef FA_DIALECT_TARGET_FRAGMENTLAYOUT_H
#define FA_DIALECT_TARGET_FRAGMENTLAYOUT_H

#include <array>
#include <cstdint>

namespace fa::target {

struct Coord {
  int64_t row;
  int64_t col;
};
inline bool operator==(Coord a, Coord b) {
  return a.row == b.row && a.col == b.col;
}

/// Who holds an element: `reg` counts elements, not 32-bit registers, so 16-bit
/// elements 2i and 2i + 1 share register i, the even one in its low half.
struct Owner {
  int64_t warp;
  int64_t lane;
  int64_t reg;
};
inline bool operator==(Owner a, Owner b) {
  return a.warp == b.warp && a.lane == b.lane && a.reg == b.reg;
}

/// One operand of one warp-wide matrix product. The element's coordinate is the
/// sum of lane / 4 times `quad`, lane % 4 times `pair`, and `bits[i]` for every
/// bit i set in the register number.
struct FragmentLayout {
  int64_t rows;
  int64_t cols;
  Coord quad;
  Coord pair;
  std::array<Coord, 3> bits;

  /// Elements that each lane holds.
  int64_t regs() const { return rows * cols / 32; }
  Coord coordOf(int64_t lane, int64_t reg) const;
  /// The owner inside the warp (warp 0).
  Owner ownerOf(int64_t row, int64_t col) const;
};

/// C and D of mma.m16n8k*; also a warp's 16 x 8 piece of a wgmma accumulator.
inline constexpr FragmentLayout kAccM16N8 = {
    16, 8, {1, 0}, {0, 2}, {{{0, 1}, {8, 0}, {0, 0}}}};
/// A of mma.m16n8k16; also A in registers of wgmma.m64nNk16.
inline constexpr FragmentLayout kAM16K16 = {
    16, 16, {1, 0}, {0, 2}, {{{0, 1}, {8, 0}, {0, 8}}}};
/// A of mma.m16n8k8 (16-bit elements).
inline constexpr FragmentLayout kAM16K8 = {
    16, 8, {1, 0}, {0, 2}, {{{0, 1}, {8, 0}, {0, 0}}}};
/// B of mma.m16n8k16: rows count k, columns count n.
inline constexpr FragmentLayout kBK16N8 = {
    16, 8, {0, 1}, {2, 0}, {{{1, 0}, {8, 0}, {0, 0}}}};
/// B of mma.m16n8k8 (16-bit elements).
inline constexpr FragmentLayout kBK8N8 = {
    8, 8, {0, 1}, {2, 0}, {{{1, 0}, {0, 0}, {0, 0}}}};

enum class FragmentKind { Accumulator, OperandA };

/// A tile spread over a group of warps. Warp w holds the rows
/// [w * rows / warps, (w + 1) * rows / warps), as 16-row blocks from top to
/// bottom, each as instruction tiles from left to right. An A operand whose
/// width is an odd multiple of 8 ends in one m16k8 tile.
///
/// With rows = 16 * warps and 4 warps the accumulator is that of wgmma.m64nN.
/// Register r of the accumulator and register r of the A operand of one shape
/// hold the same element.
struct GroupLayout {
  FragmentKind kind;
  int64_t rows;
  int64_t cols;
  int64_t warps;

  int64_t rowsPerWarp() const { return rows / warps; }
  /// 16-row blocks of a warp.
  int64_t rowBlocks() const { return rowsPerWarp() / 16; }
  /// Elements that each lane holds.
  int64_t regs() const { return rowsPerWarp() * cols / 32; }
  /// Registers of one 16-row block.
  int64_t regsPerBlock() const { return cols / 2; }
  Coord coordOf(int64_t warp, int64_t lane, int64_t reg) const;
  Owner ownerOf(int64_t row, int64_t col) const;

private:
  struct TileAt {
    const FragmentLayout *layout;
    int64_t firstCol;
    int64_t firstReg;
  };
  TileAt tileOfCol(int64_t col) const;
  TileAt tileOfReg(int64_t reg) const;
};

/// One value a row, spread as the rows of an accumulator: register
/// 2 * block + half of a lane belongs to row 16 * block + 8 * half + lane / 4
/// of its warp's rows.
struct RowLayout {
  int64_t rows;
  int64_t warps;

  int64_t regs() const { return rows / warps / 8; }
  int64_t rowOf(int64_t warp, int64_t lane, int64_t reg) const;
  /// The row register that belongs to an accumulator's register.
  static int64_t regOfElement(const GroupLayout &group, int64_t reg);
};

} // namespace fa::target

#endif // FA_DIALECT_TARGET_FRAGMENTLAYOUT_H
