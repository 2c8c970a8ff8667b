// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How wgmma is told where a tile in shared memory lies.
#ifndef FA_DIALECT_TARGET_MATRIXDESCRIPTOR_H
#define FA_DIALECT_TARGET_MATRIXDESCRIPTOR_H

#include "dialect/Target/SharedLayout.h"

#include <cstdint>

namespace fa::target {

/// What the tile's rows count: its columns then count the other one of the
/// product's dimensions. K-major operands have K along the columns.
enum class TileRows {
  /// M of operand A or N of operand B: K runs along the columns (K-major).
  Outer,
  /// K: M or N runs along the columns (MN-major).
  K
};

/// The 64-bit matrix descriptor of a tile under the 128-byte swizzle, less its
/// address. Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory
/// Layout" and "Matrix Descriptor Format"; all distances in units of 16 bytes:
///
///   bits  0-13  address
///   bits 16-29  leading distance: from one panel of 64 columns to the next;
///               K-major operands of one k step stay in a panel and ignore it
///   bits 32-45  stride: from 8 rows to the next 8
///   bits 62-63  swizzle: 1 is the 128-byte one
struct MatrixDescriptor {
  int64_t leadingBytes;
  int64_t strideBytes;

  /// All bits but the address.
  uint64_t bits() const;
  /// The address's bits; `address` counts bytes and is below 2^18.
  static constexpr int kAddressShift = 4;
};

/// K of one wgmma with 16-bit elements.
inline constexpr int64_t kWgmmaK = 16;
/// Rows of the accumulator of one wgmma.
inline constexpr int64_t kWgmmaRows = 64;

/// The descriptor of a Sw128 tile.
MatrixDescriptor matrixDescriptor(const SharedLayout &layout, TileRows rows);

/// Bytes from the tile's start to k step `step`: what its descriptor's address
/// moves on by.
int64_t wgmmaStepBytes(const SharedLayout &layout, TileRows rows, int64_t step);

} // namespace fa::target

#endif // FA_DIALECT_TARGET_MATRIXDESCRIPTOR_H
