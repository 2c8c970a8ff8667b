// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/SharedTile.h"

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::kChunkBytes;
using ::fa::target::SharedLayout;

int64_t SharedTile::chunkGroup(const SharedLayout &layout) {
  // f(r) takes every value below g; the last row of the period takes g - 1.
  return layout.storedChunk(kPeriod - 1, 0) + 1;
}

SharedTile::SharedTile(Emit &emit, SmemType type, Value address, Value laneRow,
                       Value laneChunk, Value laneByte)
    : emit(emit), layout(type.getLayout()), group(chunkGroup(layout)),
      laneAddresses(group) {
  int64_t pitch = layout.byteOffset(kPeriod, 0) / kPeriod;
  int64_t rowsPerStep = kPeriod / group;
  Value chunk = laneChunk;
  if (group > 1) {
    Value swizzle = emit.rem(emit.div(laneRow, rowsPerStep), group);
    chunk = emit.bitXor(laneChunk, swizzle);
  }
  Value offset =
      emit.add(emit.mul(laneRow, pitch), emit.mul(chunk, kChunkBytes));
  if (laneByte)
    offset = emit.add(offset, laneByte);
  laneAddresses[0] = emit.add(address, offset);
}

Value SharedTile::laneAddress(int64_t low) {
  if (!laneAddresses[low])
    laneAddresses[low] = emit.bitXor(laneAddresses[0], low * kChunkBytes);
  return laneAddresses[low];
}

int64_t SharedTile::constantPart(int64_t rows, int64_t chunks) const {
  int64_t elementsPerChunk = kChunkBytes / layout.elementBytes;
  return layout.byteOffset(rows, (chunks - chunks % group) * elementsPerChunk);
}

Value SharedTile::pointer(int64_t rows, int64_t chunks, int64_t bytes) {
  return emit.sharedPtr(laneAddress(chunks % group),
                        constantPart(rows, chunks) + bytes);
}

Value SharedTile::address(int64_t rows, int64_t chunks, int64_t bytes) {
  return emit.add(laneAddress(chunks % group),
                  constantPart(rows, chunks) + bytes);
}
