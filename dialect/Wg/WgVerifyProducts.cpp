// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// K7, K26 to K28 and K36: products, those in flight, and the slots that they
// still read.
#include "dialect/Wg/WgOps.h"
#include "dialect/Wg/WgVerify.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::wg;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// K7, for a product with or without an accumulator operand.
static LogicalResult verifyProduct(Operation *op, Type a, SmemType b,
                                   bool transposeB, FragType acc) {
  auto aFrag = dyn_cast<FragType>(a);
  auto aTile = dyn_cast<SmemType>(a);
  int64_t m = aFrag ? aFrag.getRows() : aTile.getRows();
  int64_t k = aFrag ? aFrag.getCols() : aTile.getCols();
  int64_t bk = transposeB ? b.getCols() : b.getRows();
  int64_t bn = transposeB ? b.getRows() : b.getCols();
  if (m != acc.getRows() || k != bk || bn != acc.getCols())
    return op->emitOpError()
           << "expects [M, K] times [K, N] giving [M, N], got " << m << "x" << k
           << " times " << bk << "x" << bn << " giving " << acc.getRows() << "x"
           << acc.getCols();
  if (k % 8 || bn % 8)
    return op->emitOpError()
           << "expects K and N in multiples of 8, got " << k << " and " << bn;
  Type element = elementTypeOf(a);
  if (element != b.getElementType() || !(element.isF16() || element.isBF16()))
    return op->emitOpError() << "expects f16 or bf16 for both a and b, got "
                             << element << " and " << b.getElementType();
  if (acc.getLayout() != FragLayout::Acc || !acc.getElementType().isF32())
    return op->emitOpError()
           << "expects an f32 accumulator in layout acc, got " << acc;
  if (aFrag && (aFrag.getLayout() != FragLayout::A ||
                aFrag.getWarps() != acc.getWarps()))
    return op->emitOpError() << "expects a fragment a in layout a with "
                             << acc.getWarps() << " warps, got " << aFrag;
  return success();
}

LogicalResult MmaOp::verify() {
  return verifyProduct(*this, getA().getType(), getB().getType(),
                       getTransposeB(), getResult().getType());
}

//===----------------------------------------------------------------------===//
// Products in flight
//===----------------------------------------------------------------------===//

/// K26, the part about one shared operand.
static LogicalResult verifyAsyncTile(Operation *op, SmemType tile) {
  if (tile.getSwizzle() != Swizzle::Sw128)
    return op->emitOpError() << "expects sw128 shared tiles, got " << tile;
  return success();
}

/// K27: follows the one use of a pending value. Values that are handed on are
/// followed until a wait takes them; what the wait keeps is its own affair.
static LogicalResult verifyPending(Operation *op, Value value,
                                   llvm::SmallPtrSetImpl<Value> &seen) {
  if (!seen.insert(value).second)
    return success();
  if (!value.hasOneUse())
    return op->emitOpError()
           << "expects its product in flight to be used exactly once, got "
           << std::distance(value.use_begin(), value.use_end()) << " uses";
  OpOperand &use = *value.use_begin();
  Operation *user = use.getOwner();
  if (user->getBlock() != value.getParentBlock())
    return op->emitOpError() << "expects its product in flight to be used in "
                                "the block that makes it, got a use by "
                             << user->getName() << " in a region of its own";
  if (isa<WaitMmaOp>(user))
    return success();
  bool handsOn = isa<scf::ForOp>(user) ||
                 (isa<scf::YieldOp, wg::YieldOp>(user) &&
                  isa<scf::ForOp, scf::IfOp, TurnOp>(user->getParentOp()));
  if (!handsOn)
    return op->emitOpError() << "expects its product in flight to reach a "
                                "wg.wait_mma, got "
                             << user->getName();
  for (Value next : handedOn(use))
    if (failed(verifyPending(op, next, seen)))
      return failure();
  return success();
}

static LogicalResult verifyPending(Operation *op, Value value) {
  llvm::SmallPtrSet<Value, 4> seen;
  return verifyPending(op, value, seen);
}

LogicalResult MmaAsyncOp::verify() {
  // K26
  FragType acc = getResult().getType().getFrag();
  auto a = dyn_cast<SmemType>(getA().getType());
  if ((a && failed(verifyAsyncTile(*this, a))) ||
      failed(verifyAsyncTile(*this, getB().getType())) ||
      failed(verifyProduct(*this, getA().getType(), getB().getType(),
                           getTransposeB(), acc)))
    return failure();
  if (getFront() && !a)
    return emitOpError() << "expects a front of a shared a alone, got "
                         << getA().getType();
  if (getFront() && failed(verifyColumnsOf(*this, a, getFront().getType())))
    return failure();
  if (getFront() && getFront().getType().getWarps() != acc.getWarps())
    return emitOpError() << "expects a front of " << acc.getWarps()
                         << " warps, got " << getFront().getType();
  if (getC() && getC().getType() != acc)
    return emitOpError() << "expects c of type " << acc << ", got "
                         << getC().getType();
  int64_t k =
      getTransposeB() ? getB().getType().getCols() : getB().getType().getRows();
  if (acc.getWarps() % 4 || acc.getRows() != 16 * acc.getWarps() ||
      acc.getCols() > 256 || k % 16)
    return emitOpError() << "expects 64 rows for each 4 warps, at most 256 "
                            "columns and K in multiples of 16, got "
                         << acc << " and K = " << k;
  return verifyPending(*this, getResult());
}

/// The op that started a product, as far as the text shows it: through turns
/// and through the waits that keep it. Null for what a loop or branch carries.
static Operation *startOf(Value pending) {
  while (Operation *op = pending.getDefiningOp()) {
    auto result = cast<OpResult>(pending);
    if (isa<MmaAsyncOp>(op))
      return op;
    if (auto wait = dyn_cast<WaitMmaOp>(op))
      pending = wait.getKept()[result.getResultNumber() - 1];
    else if (auto turn = dyn_cast<TurnOp>(op))
      pending = turn.getBody().front().getTerminator()->getOperand(
          result.getResultNumber());
    else
      return nullptr;
  }
  return nullptr;
}

/// Whether product `a` was certainly started before product `b`.
static bool startsBefore(Value a, Value b) {
  Operation *startA = startOf(a), *startB = startOf(b);
  if (!startB)
    return false;
  // What was carried here was started before anything that is started here.
  if (!startA)
    return isa<BlockArgument>(a) &&
           a.getParentBlock()->findAncestorOpInBlock(*startB);
  return precedes(startA, startB);
}

LogicalResult WaitMmaOp::verify() {
  // K28
  for (Value kept : getKept())
    if (!startsBefore(getPending(), kept))
      return emitOpError() << "expects every kept product to be started after "
                              "the one waited for";
  // K27
  for (Value still : getStill())
    if (failed(verifyPending(*this, still)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Releases
//===----------------------------------------------------------------------===//

/// The wait in `block` that ends a product, null where there is none.
static Operation *waitInBlock(Value pending, Block *block) {
  while (pending.hasOneUse()) {
    OpOperand &use = *pending.use_begin();
    Operation *user = use.getOwner();
    if (auto wait = dyn_cast<WaitMmaOp>(user)) {
      if (use.getOperandNumber() == 0)
        return wait->getBlock() == block ? wait.getOperation() : nullptr;
      pending = wait.getStill()[use.getOperandNumber() - 1];
    } else if (isa<wg::YieldOp, scf::YieldOp>(user) &&
               isa<TurnOp, scf::IfOp>(user->getParentOp())) {
      pending = user->getParentOp()->getResult(use.getOperandNumber());
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

LogicalResult ReleaseOp::verify() {
  if (failed(verifyTileConsumer(*this, getRing().getType())))
    return failure();
  // K36
  for (Operation *user : getRing().getUsers()) {
    auto acquire = dyn_cast<AcquireOp>(user);
    if (!acquire || acquire.getCursor() != getCursor())
      continue;
    SmallVector<Operation *> readers(acquire.getResult().getUsers());
    for (Operation *band : acquire.getResult().getUsers())
      if (isa<BandOp>(band))
        llvm::append_range(readers, band->getUsers());
    for (Operation *reader : readers) {
      auto product = dyn_cast<MmaAsyncOp>(reader);
      Operation *wait =
          product ? waitInBlock(product.getResult(), (*this)->getBlock())
                  : nullptr;
      if (wait && (*this)->isBeforeInBlock(wait))
        return emitOpError() << "expects the products that read its slot to be "
                                "waited for before it";
    }
  }
  return success();
}
