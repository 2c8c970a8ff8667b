// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel does behind its key loop, storing the tile, needs the tile's
// place again: rows, bounds and addresses that follow from its batch, head and
// number and from the thread's. While the loop runs, accumulators and scores
// fill the registers and those should not be there. Neither LLVM nor ptxas
// gives up a value that it has already, so what is computed again has to look
// like something else.
#include "lowering/Ptx/InlinePtx.h"
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FARECOMPUTEBEHINDLOOPS
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
namespace ptx = mlir::fa::ptx;

namespace {

/// Whether `op` gives the block's number or one of its parts: a register each,
/// and too dear to divide for again.
bool isPartOfBlock(Operation *op) {
  return isa<gpu::BlockIdOp>(op) || (isa<arith::DivUIOp, arith::RemUIOp>(op) &&
                                     op->getResult(0).getType().isInteger(32));
}

/// Whether `op` reads the thread's number.
bool isThread(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return isa<NVVM::ThreadIdXOp>(op) ||
         (assembly && assembly.getAsmString() == ptx::kThreadHere.text);
}

/// The code behind `loop` in its block.
class Behind {
public:
  explicit Behind(Operation *loop) : loop(loop), builder(loop->getContext()) {
    builder.setInsertionPointAfter(loop);
  }

  void recompute() {
    SmallVector<Operation *> threads;
    for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
      op->walk([&](Operation *user) {
        if (isThread(user))
          threads.push_back(user);
        for (OpOperand &operand : user->getOpOperands())
          operand.set(again(operand.get()));
      });
    for (Operation *thread : threads) {
      OpBuilder::InsertionGuard restore(builder);
      builder.setInsertionPoint(thread);
      thread->getResult(0).replaceAllUsesWith(readThread(thread->getLoc()));
      thread->erase();
    }
  }

private:
  /// `value` as computed here: itself unless it stands in front of the loop and
  /// follows, by arithmetic alone, from the block's or the thread's number.
  Value again(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop->getBlock() || !op->isBeforeInBlock(loop))
      return value;
    if (Value known = copies.lookupOrNull(value))
      return known;
    copies.map(value, value);
    if (isThread(op)) {
      copies.map(value, readThread(op->getLoc()));
    } else if (isPartOfBlock(op)) {
      copies.map(value, disguise(value));
    } else if (op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
      bool follows = false;
      for (Value operand : op->getOperands())
        follows |= again(operand) != operand;
      if (follows)
        builder.clone(*op, copies);
    }
    return copies.lookup(value);
  }

  Value readThread(Location loc) {
    return disguise(ptx::buildInlinePtx(builder, loc, ptx::kThreadHere,
                                        builder.getI32Type(), {})[0]);
  }

  /// The same number, which nobody can tell to be.
  Value disguise(Value number) {
    Location loc = number.getLoc();
    Value zero = ptx::buildInlinePtx(builder, loc, ptx::kUnknownZero,
                                     builder.getI32Type(), {})[0];
    if (number.getType().isIndex())
      zero = arith::IndexCastUIOp::create(builder, loc, number.getType(), zero);
    return arith::AddIOp::create(builder, loc, number, zero);
  }

  Operation *loop;
  OpBuilder builder;
  IRMapping copies;
};

/// The last op of a kernel that is, or has in it, a loop.
Operation *lastLoop(gpu::GPUFuncOp kernel) {
  Operation *last = nullptr;
  for (Operation &op : kernel.front()) {
    WalkResult hasLoop =
        op.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); });
    if (hasLoop.wasInterrupted())
      last = &op;
  }
  return last;
}

struct FaRecomputeBehindLoops
    : mlir::fa::impl::FaRecomputeBehindLoopsBase<FaRecomputeBehindLoops> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      for (auto kernel : module.getOps<gpu::GPUFuncOp>())
        if (Operation *loop = lastLoop(kernel))
          Behind(loop).recompute();
  }
};

} // namespace
