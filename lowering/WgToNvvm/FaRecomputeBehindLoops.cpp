// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel does behind its key loop, storing the tile, needs the tile's
// place again: its batch, head and first row, from the block's number, and the
// thread's row. While the loop runs, accumulators and scores fill the registers
// and nothing of this should. Neither LLVM nor ptxas gives up a value that it
// has already, so what is computed anew has to look like something else.
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

namespace {

/// Whether `op` reads a number from the hardware that tells blocks or threads
/// apart.
bool isNumber(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return isa<gpu::BlockIdOp, NVVM::ThreadIdXOp>(op) ||
         (assembly &&
          assembly.getAsmString() == mlir::fa::ptx::kThreadHere.text);
}

/// The code behind `loop` in its block.
class Behind {
public:
  explicit Behind(Operation *loop)
      : loop(loop), builder(loop->getContext()), end(loop->getNextNode()) {
    builder.setInsertionPointAfter(loop);
  }

  void recompute() {
    for (Operation *op = end; op; op = op->getNextNode())
      op->walk([&](Operation *user) {
        if (isNumber(user))
          numbers.push_back(user);
        for (OpOperand &operand : user->getOpOperands())
          operand.set(again(operand.get()));
      });
    for (Operation *number : numbers)
      disguise(number);
  }

private:
  /// `value` as computed here: itself unless it stands in front of the loop,
  /// follows from a number, and costs arithmetic alone.
  Value again(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop->getBlock() || !op->isBeforeInBlock(loop))
      return value;
    if (Value known = copies.lookupOrNull(value))
      return known;
    if (isNumber(op)) {
      numbers.push_back(builder.clone(*op, copies));
    } else if (op->getNumRegions() == 0 && isPure(op)) {
      bool follows = false;
      for (Value operand : op->getOperands())
        follows |= again(operand) != operand;
      if (follows)
        builder.clone(*op, copies);
    }
    // What does not follow is itself, and is not asked again.
    if (!copies.contains(value))
      copies.map(value, value);
    return copies.lookup(value);
  }

  /// Adds a zero to a number.
  void disguise(Operation *number) {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointAfter(number);
    Location loc = number->getLoc();
    Value result = number->getResult(0);
    Value zero = mlir::fa::ptx::buildInlinePtx(
        builder, loc, mlir::fa::ptx::kUnknownZero, builder.getI32Type(), {})[0];
    if (result.getType().isIndex())
      zero = arith::IndexCastUIOp::create(builder, loc, result.getType(), zero);
    auto sum = arith::AddIOp::create(builder, loc, result, zero);
    result.replaceAllUsesExcept(sum, sum);
  }

  Operation *loop;
  OpBuilder builder;
  /// The first op behind the loop that was there before.
  Operation *end;
  IRMapping copies;
  /// Numbers that are read behind the loop.
  SmallVector<Operation *> numbers;
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
