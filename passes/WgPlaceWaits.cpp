// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the product with V is waited for among the exponentials. Those of the
// first columns run in its shadow; the rest, behind the wait, in that of what
// the other warpgroups start.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGPLACEWAITS
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Whether `map` takes exponentials of a fragment.
static bool isExponential(wg::MapOp map) {
  if (!isa<wg::FragType>(map.getResult().getType()))
    return false;
  return !map.getBody().front().getOps<math::Exp2Op>().empty();
}

static wg::FragType withColumns(Type type, int64_t columns) {
  auto frag = cast<wg::FragType>(type);
  return wg::FragType::get(frag.getRows(), columns, frag.getElementType(),
                           frag.getLayout(), frag.getWarps());
}

/// The map on `columns` columns from `first`.
static Value mapColumns(OpBuilder &b, wg::MapOp map, int64_t first,
                        int64_t columns) {
  Location loc = map.getLoc();
  IRMapping mapping;
  for (Value operand : map.getOperands())
    if (isa<wg::FragType>(operand.getType()))
      mapping.map(operand, wg::SliceOp::create(
                               b, loc, withColumns(operand.getType(), columns),
                               operand, first)
                               .getResult());
  auto made = cast<wg::MapOp>(b.clone(*map, mapping));
  made.getResult().setType(withColumns(map.getResult().getType(), columns));
  Block &body = made.getBody().front();
  BlockArgument column = body.getArguments().back();
  if (first && !column.use_empty()) {
    OpBuilder inner = OpBuilder::atBlockBegin(&body);
    Value offset = arith::ConstantIndexOp::create(inner, loc, first);
    auto whole = arith::AddIOp::create(inner, loc, column, offset);
    column.replaceAllUsesExcept(whole, whole);
  }
  return made.getResult();
}

/// Splits `map` in two and moves `wait`, with the releases behind it, between
/// the halves.
static void placeWait(wg::WaitMmaOp wait, wg::MapOp map, int64_t columns) {
  OpBuilder b(map);
  auto type = cast<wg::FragType>(map.getResult().getType());
  Value early = mapColumns(b, map, 0, columns);
  Operation *next = wait->getNextNode();
  wait->moveBefore(map);
  while (auto release = dyn_cast<wg::ReleaseOp>(next)) {
    next = next->getNextNode();
    release->moveBefore(map);
  }
  Value late = mapColumns(b, map, columns, type.getCols() - columns);
  Value both =
      wg::ConcatOp::create(b, map.getLoc(), type, ValueRange{early, late});
  map.getResult().replaceAllUsesWith(both);
  map.erase();
}

/// The last wait of the loop's body and the exponentials in front of it.
static void place(scf::ForOp loop, int64_t columns) {
  wg::WaitMmaOp last;
  wg::MapOp exponentials;
  for (Operation &op : *loop.getBody()) {
    if (auto wait = dyn_cast<wg::WaitMmaOp>(op))
      last = wait;
    auto map = dyn_cast<wg::MapOp>(op);
    if (map && isExponential(map))
      exponentials = map;
  }
  if (!last || !exponentials || !exponentials->isBeforeInBlock(last) ||
      !last.getKept().empty())
    return;
  Operation *made = last.getPending().getDefiningOp();
  auto type = cast<wg::FragType>(exponentials.getResult().getType());
  if (!made || !made->isBeforeInBlock(exponentials) ||
      columns >= type.getCols())
    return;
  placeWait(last, exponentials, columns);
}

namespace {
struct PlaceWaitsPass : mlir::fa::impl::WgPlaceWaitsBase<PlaceWaitsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>(kScheduleAttr);
      if (!schedule || !schedule.getVWait())
        continue;
      for (scf::ForOp loop : findOps<scf::ForOp>(kernel))
        place(loop, schedule.getVWait());
    }
  }
};
} // namespace
