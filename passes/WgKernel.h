// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the passes on kernels in the `wg` dialect share.
#ifndef FA_PASSES_WGKERNEL_H
#define FA_PASSES_WGKERNEL_H

#include "dialect/Wg/WgOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fa {
class ScheduleAttr;

/// The kernels of the module's gpu.modules: each gpu.func with `fa.kernel`.
SmallVector<gpu::GPUFuncOp> findKernels(ModuleOp module);

/// The same where there have to be some: an error at the module where there are
/// none.
FailureOr<SmallVector<gpu::GPUFuncOp>> expectKernels(ModuleOp module);

/// Whether cp.async can do what `load` does: it moves 4 bytes at least (K15).
bool canBeAsync(wg::LoadOp load);

/// The kernel's schedule, null where it has none.
ScheduleAttr scheduleOf(gpu::GPUFuncOp kernel);

/// Whether the kernel loads by TMA and its blocks stay for several query tiles.
bool staysForTiles(gpu::GPUFuncOp kernel);

/// Whether warps of the kernel vote to leave rare work of the softmax out:
/// those of kernels that load by TMA, or have a threshold.
bool votesOnRareWork(gpu::GPUFuncOp kernel);

/// All ops of one kind in a kernel, in program order.
template <typename OpTy> SmallVector<OpTy> findOps(gpu::GPUFuncOp kernel) {
  SmallVector<OpTy> ops;
  kernel.walk<WalkOrder::PreOrder>([&](OpTy op) { ops.push_back(op); });
  return ops;
}

/// The outermost loop around `op` in its kernel, null where there is none.
Operation *outermostLoop(Operation *op);

/// Moves `op`, and what it is computed from, in front of `place` of its block.
/// None of them may have effects that something in between could see.
void moveInFront(Operation *op, Operation *place);

/// `value` at the builder's place: what it follows from is cloned there as far
/// as `inside` says so of its ops, and is what `mapping` says it is, or itself.
Value cloneValue(OpBuilder &b, Value value, IRMapping &mapping,
                 function_ref<bool(Operation *)> inside);

/// Which of the values that `loop` carries `value` is in its body.
std::optional<unsigned> carriedPlace(scf::ForOp loop, Value value);

/// The result of `branch` that `loop` carries on at `place`, where it gives
/// what the loop carried when the branch is not taken.
std::optional<unsigned> carriedResult(scf::ForOp loop, scf::IfOp branch,
                                      unsigned place);

/// `branch` with more results: what its regions are to yield besides.
scf::IfOp widenBranch(scf::IfOp branch, ValueRange thenValues,
                      ValueRange elseValues);

/// The loop body's last wait for a product; null where another one stays in
/// flight behind it.
wg::WaitMmaOp lastWait(scf::ForOp loop);

/// Storage for `type`, for use at `op`: one for all iterations of the loops
/// around it.
wg::AllocOp allocateFor(Operation *op, Type type);

/// Whether `value` is a positive number of f32, by itself or by what the launch
/// holds the kernel's argument to.
bool isPositive(Value value);

/// Whether running `op` may change what a load from global memory gives.
bool mayWriteGlobal(Operation *op);
} // namespace mlir::fa

#endif // FA_PASSES_WGKERNEL_H
