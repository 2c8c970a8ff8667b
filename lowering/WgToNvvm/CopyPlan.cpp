// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/CopyPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::kChunkBytes;

CopyPlan::CopyPlan(Emit &emit, SmemType type, Value tileAddress,
                   int64_t threads)
    : emit(emit), layout(type.getLayout()),
      // The chunks that the swizzle exchanges are those of one 128-byte line.
      lanesPerRow(SharedTile::chunkGroup(layout)),
      rowsPerPass(threads / lanesPerRow) {
  Value thread = emit.threadHere();
  row = emit.div(thread, lanesPerRow);
  Value chunk = emit.rem(thread, lanesPerRow);
  byte = emit.mul(chunk, kChunkBytes);
  for (int64_t step = 0; step < layout.chunksPerRow(); step += lanesPerRow)
    chunkSteps.push_back(step);
  int64_t period = std::max<int64_t>(SharedTile::kPeriod / rowsPerPass, 1);
  for (int64_t pass = 0; pass < std::min(period, passes()); ++pass)
    walks.emplace_back(emit, type, tileAddress, emit.add(row, rowOf(pass)),
                       chunk);
}

int64_t CopyPlan::passes() const {
  return llvm::divideCeil(layout.rows, rowsPerPass);
}

Value CopyPlan::inTile(int64_t pass) {
  int64_t left = layout.rows - rowOf(pass);
  return left >= rowsPerPass ? Value() : emit.less(row, left);
}

std::pair<SharedTile *, int64_t> CopyPlan::sharedOf(int64_t pass) {
  int64_t walk = pass % walks.size();
  return {&walks[walk], rowOf(pass - walk)};
}
