// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values: the first of a query tile's key tiles, where it stands by itself, has
// nothing in front of it. The maximum of its scores is the row's. Its rescale
// factor exp2((-inf - m) * c) multiplies a row sum and an accumulator of zeros
// only: any factor would do, and 1 says that there is nothing to rescale.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGFIRSTTILE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Whether `op` multiplies `factor` by zeros.
static bool multipliesZeros(Operation *op, Value factor) {
  auto map = dyn_cast<wg::MapOp>(op);
  if (!map || map.getNumOperands() != 2)
    return false;
  Block &body = map.getBody().front();
  auto product = dyn_cast<arith::MulFOp>(body.front());
  bool multiplies = product && map.getYielded() == product.getResult() &&
                    product.getLhs() != product.getRhs() &&
                    isa<BlockArgument>(product.getLhs()) &&
                    isa<BlockArgument>(product.getRhs());
  Value other = map.getOperand(map.getOperand(0) == factor ? 1 : 0);
  return multiplies && isSplatOf(other, m_AnyZeroFloat());
}

/// Whether `map` makes rescale factors that rescale nothing.
static bool isFirstFactor(wg::MapOp map) {
  std::optional<ScaledPower> power = matchScaledPower(map);
  return power && isa<wg::RowsType>(map.getType()) &&
         isSplatOf(power->x, m_NegInfFloat()) &&
         llvm::all_of(map->getUsers(), [&](Operation *user) {
           return multipliesZeros(user, map.getResult());
         });
}

/// The operand of `map` that it joins to -inf, null where it is no such map.
static Value joinedToNothing(wg::MapOp map) {
  if (!isa<wg::RowsType>(map.getType()) || !joinsFirst(map))
    return {};
  Value x = map.getOperand(0), y = map.getOperand(1);
  if (isSplatOf(x, m_NegInfFloat()))
    return y;
  return isSplatOf(y, m_NegInfFloat()) ? x : Value();
}

static void replaceByOne(wg::MapOp map) {
  OpBuilder b(map);
  Location loc = map.getLoc();
  Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1.0f));
  map.getResult().replaceAllUsesWith(
      wg::SplatOp::create(b, loc, map.getType(), one));
  map.erase();
}

namespace {
struct FirstTilePass : mlir::fa::impl::WgFirstTileBase<FirstTilePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module))
      for (wg::MapOp map : findOps<wg::MapOp>(kernel)) {
        if (Value joined = joinedToNothing(map))
          replaceJoin(map, joined);
        else if (isFirstFactor(map))
          replaceByOne(map);
      }
  }
};
} // namespace
