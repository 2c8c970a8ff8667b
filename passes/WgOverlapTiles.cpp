// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the loop over query tiles is rotated. The first scores of the next
// tile are started as soon as the last product of this one is done, and are
// computed while O is stored:
//
//   while (tile exists) { acquire Q, K; QK; release K; ...; PV; store; tile =
//   next }
//   ==>
//   QK of the first; while (tile exists) { ...; PV; tile = next; start QK;
//   store;
//                                          wait for QK }
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGOVERLAPTILES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A loop over query tiles, and the first product of each.
struct TileLoop {
  scf::WhileOp loop;
  wg::ReceiveOp receive;
  wg::AcquireOp q, k;
  /// The branch for tiles with keys, around the product.
  scf::IfOp keys;
  wg::MmaAsyncOp product;
  wg::WaitMmaOp wait;
  wg::ReleaseOp release;

  Block *body() { return loop.getAfterBody(); }
};

/// A first product on its way.
struct Started {
  Value pending, hasKeys, cursor;
};

/// Rewrites one loop.
class TileRotator {
public:
  explicit TileRotator(TileLoop found)
      : found(found), b(found.loop.getContext()), loc(found.loop.getLoc()) {}
  void run();

private:
  Value copy(Value value, Region *from, IRMapping &mapping);
  Started start(ValueRange tile);
  Value finish(Started started);
  void takeScores(Value scores);
  scf::WhileOp carry(Value scores);

  TileLoop found;
  OpBuilder b;
  Location loc;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// The only op of its kind in `block`, null where there are others.
template <typename OpTy> static OpTy onlyOne(Block *block) {
  auto ops = block->getOps<OpTy>();
  return llvm::hasSingleElement(ops) ? *ops.begin() : OpTy();
}

static bool isArgumentOf(Value value, Block *block) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == block;
}

/// Whether `value` follows from arguments of `block` and what is in front of
/// its region, without effects.
static bool isPureIn(Value value, Block *block) {
  if (isArgumentOf(value, block) ||
      !block->getParent()->isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == block && isMemoryEffectFree(op) &&
         op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isPureIn(operand, block); });
}

/// The product of the slot of `q` and a slot of K that starts the then-block of
/// `branch`.
static bool matchProduct(TileLoop &found, scf::IfOp branch) {
  Block *then = branch.thenBlock();
  for (auto product : then->getOps<wg::MmaAsyncOp>()) {
    auto band = product.getA().getDefiningOp<wg::BandOp>();
    auto k = product.getB().getDefiningOp<wg::AcquireOp>();
    if (!band || band.getTile() != found.q.getResult() || !k ||
        k->getBlock() != then || !k.getResult().hasOneUse() || product.getC() ||
        !product.getResult().hasOneUse())
      return false;
    auto wait = dyn_cast<wg::WaitMmaOp>(*product->user_begin());
    auto release =
        wait ? dyn_cast<wg::ReleaseOp>(wait->getNextNode()) : wg::ReleaseOp();
    if (!release || !wait.getKept().empty() ||
        release.getRing() != k.getRing() ||
        release.getCursor() != k.getCursor() ||
        !isArgumentOf(k.getCursor(), found.body()))
      return false;
    found.keys = branch;
    found.k = k;
    found.product = product;
    found.wait = wait;
    found.release = release;
    return true;
  }
  return false;
}

static std::optional<TileLoop> match(scf::WhileOp loop) {
  TileLoop found;
  found.loop = loop;
  Block *body = loop.getAfterBody(), *test = loop.getBeforeBody();
  auto condition = cast<scf::ConditionOp>(test->getTerminator());
  bool passesOn = llvm::all_of(condition.getArgs(), [&](Value value) {
    return isArgumentOf(value, test);
  });
  found.receive = onlyOne<wg::ReceiveOp>(body);
  found.q = onlyOne<wg::AcquireOp>(body);
  if (!passesOn || !found.receive || !found.q ||
      !isArgumentOf(found.q.getCursor(), body) ||
      !isArgumentOf(found.receive.getCursor(), body) ||
      !isPureIn(condition.getCondition(), test))
    return std::nullopt;
  for (auto branch : body->getOps<scf::IfOp>())
    if (matchProduct(found, branch))
      return isPureIn(branch.getCondition(), body) ? std::optional(found)
                                                   : std::nullopt;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

/// `value` of `from`'s block at the builder's place, with what it follows from.
Value TileRotator::copy(Value value, Region *from, IRMapping &mapping) {
  return cloneValue(b, value, mapping, [from](Operation *op) {
    return op->getParentRegion() == from;
  });
}

/// Starts the first product of the tile whose values, as the loop carries them,
/// are `tile`.
Started TileRotator::start(ValueRange tile) {
  Block *test = found.loop.getBeforeBody();
  auto condition = cast<scf::ConditionOp>(test->getTerminator());
  IRMapping before, after;
  before.map(test->getArguments(), tile);
  for (auto [argument, passed] :
       llvm::zip(found.body()->getArguments(), condition.getArgs()))
    after.map(argument, before.lookup(passed));
  Value exists =
      copy(condition.getCondition(), &found.loop.getBefore(), before);
  Value keys = copy(found.keys.getCondition(), &found.loop.getAfter(), after);
  Value hasKeys = arith::AndIOp::create(b, loc, exists, keys);
  Value qCursor = after.lookup(found.q.getCursor());
  Value kCursor = after.lookup(found.k.getCursor());
  auto acquire = [&](Value needed, Value ring, Value cursor) {
    auto branch = scf::IfOp::create(b, loc, needed, /*withElseRegion=*/false);
    OpBuilder then = branch.getThenBodyBuilder();
    wg::AcquireOp::create(then, loc, ring, cursor);
  };
  acquire(exists, found.q.getRing(), qCursor);
  acquire(hasKeys, found.k.getRing(), kCursor);
  after.map(found.q.getResult(),
            Value(wg::PeekOp::create(b, loc, found.q.getRing(), qCursor)));
  after.map(found.k.getResult(),
            Value(wg::PeekOp::create(b, loc, found.k.getRing(), kCursor)));
  b.clone(*found.product.getA().getDefiningOp(), after);
  b.clone(*found.product, after);
  return {after.lookup(found.product.getResult()), hasKeys, kCursor};
}

/// Waits for a first product and gives its slot of K back.
Value TileRotator::finish(Started started) {
  auto wait = wg::WaitMmaOp::create(b, loc, started.pending, ValueRange());
  auto branch =
      scf::IfOp::create(b, loc, started.hasKeys, /*withElseRegion=*/false);
  OpBuilder then = branch.getThenBodyBuilder();
  wg::ReleaseOp::create(then, loc, found.k.getRing(), started.cursor);
  return wait.getResult();
}

/// The loop's tile takes its first product from `scores`.
void TileRotator::takeScores(Value scores) {
  found.wait.getResult().replaceAllUsesWith(scores);
  found.release.erase();
  found.wait.erase();
  found.product.erase();
  found.k.erase();
  b.setInsertionPoint(found.q);
  found.q.getResult().replaceAllUsesWith(
      wg::PeekOp::create(b, loc, found.q.getRing(), found.q.getCursor()));
}

/// The loop with one more value that it carries and passes on.
scf::WhileOp TileRotator::carry(Value scores) {
  scf::WhileOp old = found.loop;
  SmallVector<Value> inits(old.getInits());
  inits.push_back(scores);
  SmallVector<Type> types(old.getResultTypes());
  types.push_back(scores.getType());
  b.setInsertionPoint(old);
  auto made = scf::WhileOp::create(b, loc, types, inits);
  made.getBefore().takeBody(old.getBefore());
  made.getAfter().takeBody(old.getAfter());
  Value passed = made.getBeforeBody()->addArgument(scores.getType(), loc);
  cast<scf::ConditionOp>(made.getBeforeBody()->getTerminator())
      .getArgsMutable()
      .append(passed);
  made.getAfterBody()->addArgument(scores.getType(), loc);
  old.replaceAllUsesWith(made.getResults().drop_back());
  old.erase();
  return made;
}

void TileRotator::run() {
  b.setInsertionPoint(found.loop);
  Value first = finish(start(found.loop.getInits()));
  found.loop = carry(first);
  // The next tile is known, and started, behind the last product.
  auto yield = cast<scf::YieldOp>(found.body()->getTerminator());
  Operation *stores = found.keys->getNextNode();
  for (Value next : yield.getOperands())
    moveInFront(next.getDefiningOp(), stores);
  b.setInsertionPoint(stores);
  Started started = start(yield.getOperands());
  b.setInsertionPoint(yield);
  yield.getResultsMutable().append(finish(started));
  takeScores(found.body()->getArguments().back());
  found.q.erase();
}

namespace {
struct OverlapTilesPass : mlir::fa::impl::WgOverlapTilesBase<OverlapTilesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!schedule || !schedule.getOverlapTiles() ||
          findOps<wg::RoleOp>(kernel).empty())
        continue;
      bool done = false;
      for (scf::WhileOp loop : findOps<scf::WhileOp>(kernel))
        if (std::optional<TileLoop> found = match(loop)) {
          TileRotator(*found).run();
          done = true;
        }
      if (!done)
        emitRemark(kernel.getLoc())
            << "tiles do not overlap: no loop over tiles that are received, "
               "with a first product in front of other key tiles";
    }
  }
};
} // namespace
