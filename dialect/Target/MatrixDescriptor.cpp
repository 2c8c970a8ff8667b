// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/MatrixDescriptor.h"

namespace fa::target {

/// Rows after which the swizzle repeats.
static constexpr int64_t kSwizzleRows = 8;
static constexpr uint64_t kSwizzle128 = 1;

uint64_t MatrixDescriptor::bits() const {
  constexpr int kLeading = 16, kStride = 32, kSwizzle = 62;
  auto units = [](int64_t bytes) { return uint64_t(bytes) >> kAddressShift; };
  return units(leadingBytes) << kLeading | units(strideBytes) << kStride |
         kSwizzle128 << kSwizzle;
}

MatrixDescriptor matrixDescriptor(const SharedLayout &layout, TileRows rows) {
  int64_t strideBytes = kSwizzleRows * kWavefrontBytes;
  // The value that PTX ISA asks for where it is ignored.
  constexpr int64_t kIgnored = 1 << MatrixDescriptor::kAddressShift;
  if (rows == TileRows::Outer)
    return {kIgnored, strideBytes};
  return {layout.panelRows * kWavefrontBytes, strideBytes};
}

int64_t wgmmaStepBytes(const SharedLayout &layout, TileRows rows,
                       int64_t step) {
  if (rows == TileRows::K)
    return step * kWgmmaK * kWavefrontBytes;
  // The swizzle is a function of address bits, so a step inside a panel moves
  // the address by as much as it would without one.
  int64_t byte = step * kWgmmaK * layout.elementBytes;
  int64_t panel = byte / kWavefrontBytes;
  return panel * layout.panelRows * kWavefrontBytes + byte % kWavefrontBytes;
}

} // namespace fa::target
