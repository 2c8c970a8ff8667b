// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values: a warp leaves the rescale of its accumulator out where every factor
// is 1, which is exact: x * 1 is x.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGGUARDRESCALE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Whether `map` multiplies each row of a fragment by the row's factor.
static bool isRescale(wg::MapOp map) {
  if (!isa<wg::FragType>(map.getResult().getType()) ||
      map.getOperands().size() != 2)
    return false;
  Block &body = map.getBody().front();
  return llvm::hasNItems(body, 2) && isa<arith::MulFOp>(body.front()) &&
         body.getTerminator()->getOperand(0).getDefiningOp() == &body.front() &&
         llvm::all_of(body.front().getOperands(), [&](Value operand) {
           return isa<BlockArgument>(operand) &&
                  operand.getParentBlock() == &body;
         });
}

static void guard(wg::MapOp map, Value factors, Value acc) {
  OpBuilder b(map);
  Location loc = map.getLoc();
  Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1.0f));
  // Unordered: a factor that is no number has to be multiplied too.
  Value vote = buildVote(
      b, loc, factors, [&](OpBuilder &inner, ValueRange args) -> Value {
        return arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::UNE,
                                     args[0], one);
      });
  auto branch = scf::IfOp::create(b, loc, acc.getType(), vote,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  map.getResult().replaceAllUsesWith(branch.getResult(0));
  OpBuilder then = branch.getThenBodyBuilder();
  map->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  scf::YieldOp::create(then, loc, map.getResult());
  OpBuilder otherwise = branch.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, acc);
}

namespace {
struct GuardRescalePass : mlir::fa::impl::WgGuardRescaleBase<GuardRescalePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      if (!votesOnRareWork(kernel))
        continue;
      for (wg::MmaOp product : findOps<wg::MmaOp>(kernel)) {
        auto map = product.getC().getDefiningOp<wg::MapOp>();
        if (!map || !isRescale(map) || !map->getParentOfType<scf::ForOp>())
          continue;
        Value x = map.getOperands()[0], y = map.getOperands()[1];
        if (isa<wg::RowsType>(x.getType()))
          guard(map, x, y);
        else if (isa<wg::RowsType>(y.getType()))
          guard(map, y, x);
      }
    }
  }
};
} // namespace
