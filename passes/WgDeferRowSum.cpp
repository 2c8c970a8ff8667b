// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four lanes that hold a row need its maximum in every iteration of the key
// loop, but its sum only behind the loop: until then each lane keeps the sum of
// its own elements, and no value crosses lanes for it.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGDEFERROWSUM
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A sum that a loop carries: carried -> [scaled ->] summed -> yielded.
struct CarriedSum {
  BlockArgument carried;
  /// Null where nothing scales the sum.
  wg::MapOp scale;
  wg::ReduceRowsOp sum;
};
} // namespace

/// Whether `map` multiplies `value` with one other operand and does no more:
/// that is the same for parts as for their sum (K10).
static bool isScaling(wg::MapOp map, Value value) {
  Block &body = map.getBody().front();
  if (map.getNumOperands() != 2 || !isa<wg::RowsType>(map.getType()) ||
      !llvm::hasNItems(body, 2))
    return false;
  auto product = dyn_cast<arith::MulFOp>(body.front());
  if (!product || map.getYielded() != product.getResult())
    return false;
  Value other =
      map.getOperand(0) == value ? map.getOperand(1) : map.getOperand(0);
  Value left = body.getArgument(0), right = body.getArgument(1);
  bool both = (product.getLhs() == left && product.getRhs() == right) ||
              (product.getLhs() == right && product.getRhs() == left);
  return both && other != value &&
         !cast<wg::RowsType>(other.getType()).getPartial();
}

/// The sum that the loop carries in `carried`, if it is one and nothing else
/// sees it on its way.
static std::optional<CarriedSum> match(scf::ForOp loop, BlockArgument carried) {
  auto type = dyn_cast<wg::RowsType>(carried.getType());
  if (!type || type.getPartial() || !carried.hasOneUse())
    return std::nullopt;
  CarriedSum found{carried, nullptr, nullptr};
  Operation *user = *carried.user_begin();
  Value value = carried;
  if (auto map = dyn_cast<wg::MapOp>(user)) {
    if (!isScaling(map, carried) || !map->hasOneUse())
      return std::nullopt;
    found.scale = map;
    value = map.getResult();
    user = *map->user_begin();
  }
  found.sum = dyn_cast<wg::ReduceRowsOp>(user);
  if (!found.sum || found.sum.getKind() != wg::Combine::AddF ||
      found.sum.getInit() != value || !found.sum->hasOneUse() ||
      *found.sum->user_begin() != loop.getBody()->getTerminator() ||
      loop.getTiedLoopYieldedValue(carried)->get() != found.sum.getResult())
    return std::nullopt;
  return found;
}

/// `whole` as parts, null where it was not made of parts or of one value. What
/// a tile in front of the loop has summed up can be left as parts too.
static Value partsOf(Value whole, wg::RowsType parts, OpBuilder &b) {
  if (auto join = whole.getDefiningOp<wg::JoinRowsOp>())
    return join.getRows().getType() == parts ? join.getRows() : Value();
  Operation *op = whole.getDefiningOp();
  if (!op)
    return nullptr;
  b.setInsertionPoint(op);
  if (auto splat = dyn_cast<wg::SplatOp>(op))
    return wg::SplatOp::create(b, op->getLoc(), parts, splat.getValue());
  if (auto sum = dyn_cast<wg::ReduceRowsOp>(op)) {
    Value init = sum.getKind() == wg::Combine::AddF
                     ? partsOf(sum.getInit(), parts, b)
                     : Value();
    b.setInsertionPoint(op);
    return init ? wg::ReduceRowsOp::create(b, op->getLoc(), parts,
                                           wg::Combine::AddF, sum.getFrag(),
                                           init)
                : Value();
  }
  auto map = dyn_cast<wg::MapOp>(op);
  for (unsigned i = 0; map && i < map.getNumOperands(); ++i)
    if (isScaling(map, map.getOperand(i)))
      if (Value scaled = partsOf(map.getOperand(i), parts, b)) {
        b.setInsertionPoint(op);
        auto made = cast<wg::MapOp>(b.clone(*map));
        made->setOperand(i, scaled);
        made.getResult().setType(parts);
        return made.getResult();
      }
  return nullptr;
}

static void defer(scf::ForOp loop, CarriedSum found) {
  auto type = cast<wg::RowsType>(found.carried.getType());
  auto parts = wg::RowsType::get(type.getRows(), type.getElementType(),
                                 type.getWarps(), wg::Combine::AddF);
  OpOperand *init = loop.getTiedLoopInit(found.carried);
  OpBuilder b(loop);
  Value start = partsOf(init->get(), parts, b);
  if (!start)
    return;
  Operation *before = init->get().getDefiningOp();
  init->set(start);
  if (before->use_empty())
    before->erase();
  found.carried.setType(parts);
  if (found.scale)
    found.scale.getResult().setType(parts);
  found.sum.getResult().setType(parts);
  OpResult result = loop.getTiedLoopResult(found.carried);
  result.setType(parts);
  b.setInsertionPointAfter(loop);
  auto join = wg::JoinRowsOp::create(b, found.sum.getLoc(), type, result);
  result.replaceAllUsesExcept(join.getResult(), join);
}

namespace {
struct DeferRowSumPass : mlir::fa::impl::WgDeferRowSumBase<DeferRowSumPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values", "pipelined"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module))
      for (scf::ForOp loop : findOps<scf::ForOp>(kernel))
        for (BlockArgument carried : loop.getRegionIterArgs())
          if (std::optional<CarriedSum> found = match(loop, carried))
            defer(loop, *found);
  }
};
} // namespace
