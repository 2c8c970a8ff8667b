// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The patterns from `wg` to NVVM by family, in the order of a kernel.
#ifndef FA_LOWERING_WGTONVVM_PATTERNS_H
#define FA_LOWERING_WGTONVVM_PATTERNS_H

#include "dialect/Wg/WgOps.h"
#include "lowering/WgToNvvm/Emit.h"

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::wg {

/// Fragments, those of products in flight too, and rows become their registers,
/// one value each; shared tiles and rings become the i32 address of their first
/// byte, rings with mbarriers also that of the first barrier; cursors the
/// number of a slot and a parity, both i32; tensor maps a pointer.
class RegisterConverter : public TypeConverter {
public:
  RegisterConverter();
};

/// wg.alloc, wg.slot, wg.band: addresses. wg.barrier.
void populateStoragePatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
/// wg.copy, wg.copy_async, wg.commit_copies, wg.wait_copies.
void populateCopyPatterns(const TypeConverter &converter,
                          RewritePatternSet &patterns);
/// wg.cursor, wg.advance, wg.init, wg.acquire, wg.release, wg.send, wg.receive,
/// wg.fetch_tile.
void populateRingPatterns(const TypeConverter &converter,
                          RewritePatternSet &patterns);
/// wg.tma_load, wg.tma_store, wg.wait_stores, wg.fence_async, wg.zero_rows.
void populateTmaPatterns(const TypeConverter &converter,
                         RewritePatternSet &patterns);
/// Registers that a lane holds while it makes the values of `op`'s A operand
/// beside the accumulators; 0 where A is in shared memory.
int64_t registersBesideProduct(MmaOp op);

/// wg.mma.
void populateMmaPatterns(const TypeConverter &converter,
                         RewritePatternSet &patterns);
/// wg.mma_async, wg.wait_mma.
void populateAsyncMmaPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
/// wg.splat, wg.map, wg.any, wg.reduce_rows, wg.join_rows, wg.slice, wg.concat,
/// wg.relayout.
void populateSoftmaxPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
/// wg.put, wg.copy_out, wg.store, wg.store_rows.
void populateStorePatterns(const TypeConverter &converter,
                           RewritePatternSet &patterns);

} // namespace mlir::wg

#endif // FA_LOWERING_WGTONVVM_PATTERNS_H
