// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that run while the group computes. The loads L_0, ..., L_(n-1) of a
// loop are taken as one sequence over all iterations, load t being L_(t mod n)
// of iteration t / n. Each has a ring of S tiles. At the place of load t all
// copies up to t are waited for, and a barrier makes them visible. Behind it
// nobody reads the tile of load t - 1 any more: load t - 1 + n * S is issued,
// which goes into the same slot. So n * S - 1 copies are in flight at most, and
// as many are issued in front of the loop. At S = 1 with K and V that is
// FlashAttention-2's scheme: V's copy runs during the product with K, that of
// the next K during the softmax and the product with V.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGPIPELINE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// What can be pipelined
//===----------------------------------------------------------------------===//

namespace {
/// A load of a loop, and the ops of the loop that its address and row count
/// come from, in order.
struct Candidate {
  wg::LoadOp load;
  SetVector<Operation *> slice;
  /// Ops of the loop's body that hold the first and the last use.
  Operation *firstUse = nullptr, *lastUse = nullptr;
};
} // namespace

/// Collects what `value` comes from in the loop; false where that is more than
/// arithmetic on the induction variable.
static bool collectSlice(Value value, scf::ForOp loop,
                         SetVector<Operation *> &slice) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions())
    return false;
  if (slice.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!collectSlice(operand, loop, slice))
      return false;
  slice.insert(op);
  return true;
}

static std::optional<Candidate> match(wg::LoadOp load, scf::ForOp loop) {
  Candidate candidate{load, {}};
  if (!canBeAsync(load) ||
      !collectSlice(load.getMem(), loop, candidate.slice) ||
      !collectSlice(load.getRows(), loop, candidate.slice))
    return std::nullopt;
  for (Operation *user : load.getResult().getUsers()) {
    // A tile that is passed on may be read when its slot is filled again.
    if (user->hasTrait<OpTrait::IsTerminator>())
      return std::nullopt;
    Operation *place = loop.getBody()->findAncestorOpInBlock(*user);
    if (!candidate.firstUse || place->isBeforeInBlock(candidate.firstUse))
      candidate.firstUse = place;
    if (!candidate.lastUse || candidate.lastUse->isBeforeInBlock(place))
      candidate.lastUse = place;
  }
  if (!candidate.firstUse)
    return std::nullopt;
  return candidate;
}

/// The loads of `loop` in the order of their uses; none where the uses of one
/// reach into those of the next, since the tile would be overwritten there.
static SmallVector<Candidate> findCandidates(scf::ForOp loop) {
  SmallVector<Candidate> found;
  if (mayWriteGlobal(loop))
    return found;
  for (auto load : loop.getBody()->getOps<wg::LoadOp>())
    if (std::optional<Candidate> candidate = match(load, loop))
      found.push_back(std::move(*candidate));
  llvm::sort(found, [](const Candidate &a, const Candidate &b) {
    return a.firstUse->isBeforeInBlock(b.firstUse);
  });
  for (size_t i = 1; i < found.size(); ++i)
    if (!found[i - 1].lastUse->isBeforeInBlock(found[i].firstUse))
      return {};
  return found;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites one loop.
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, ArrayRef<Candidate> loads, int64_t stages)
      : loop(loop), loads(loads), stages(stages), b(loop.getContext()),
        loc(loop.getLoc()) {}

  /// The new loop. `afterOthers`: others read shared memory before it.
  scf::ForOp run(bool afterOthers);

private:
  int64_t total() const { return loads.size() * stages; }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  void addSlots();
  Value later(Value iteration, int64_t ahead);
  void issue(const Candidate &candidate, Value ring, Value iteration,
             Value slot);
  int64_t fragmentRegisters();
  Operation *placeOf(size_t position);
  void convert(size_t position);

  scf::ForOp loop;
  ArrayRef<Candidate> loads;
  int64_t stages;
  IRRewriter b;
  Location loc;
  SmallVector<Value> rings;
  /// The slots of this iteration and of the one before.
  Value slot, slotBefore;
};
} // namespace

/// The loop carries which slot is this iteration's: counting needs no division.
void LoopPipeliner::addSlots() {
  slot = slotBefore = index(0);
  if (stages == 1)
    return;
  SmallVector<Value> inits{slot, index(stages - 1)};
  auto advance = [&](OpBuilder &builder, Location,
                     ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value next = arith::AddIOp::create(builder, loc, arguments[0], one);
    Value wraps = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, next,
        arith::ConstantIndexOp::create(builder, loc, stages));
    next = arith::SelectOp::create(builder, loc, wraps, inits[0], next);
    return {next, arguments[0]};
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      b, inits, /*replaceInitOperandUsesInLoop=*/false, advance);
  loop = cast<scf::ForOp>(replaced->getOperation());
  slot = loop.getRegionIterArgs().drop_back().back();
  slotBefore = loop.getRegionIterArgs().back();
}

/// The induction variable `ahead` iterations after `iteration`.
Value LoopPipeliner::later(Value iteration, int64_t ahead) {
  if (ahead == 0)
    return iteration;
  Value count = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(iteration.getType(), ahead));
  Value distance = b.createOrFold<arith::MulIOp>(loc, loop.getStep(), count);
  return b.createOrFold<arith::AddIOp>(loc, iteration, distance);
}

/// Issues a load of `iteration` where the loop has that iteration. The group
/// is committed in any case, so that groups can be counted.
void LoopPipeliner::issue(const Candidate &candidate, Value ring,
                          Value iteration, Value slot) {
  wg::LoadOp load = candidate.load;
  OpBuilder::InsertPoint behind;
  if (iteration != loop.getInductionVar()) {
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                           : arith::CmpIPredicate::slt;
    Value exists = arith::CmpIOp::create(b, loc, predicate, iteration,
                                         loop.getUpperBound());
    auto guard = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
    behind = b.saveInsertionPoint();
    b.setInsertionPointToStart(guard.thenBlock());
  }
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  for (Operation *op : candidate.slice)
    b.clone(*op, mapping);
  Value tile = wg::SlotOp::create(b, load.getLoc(), ring, slot);
  wg::CopyAsyncOp::create(
      b, load.getLoc(), mapping.lookupOrDefault(load.getMem()), tile,
      mapping.lookupOrDefault(load.getRows()), load.getBytesAttr());
  if (behind.isSet())
    b.restoreInsertionPoint(behind);
  wg::CommitCopiesOp::create(b, loc);
}

/// Registers that each lane holds for a product's result and the accumulator
/// that the loop carries, at most.
int64_t LoopPipeliner::fragmentRegisters() {
  int64_t carried = 0, computed = 0;
  for (BlockArgument value : loop.getRegionIterArgs())
    if (auto frag = dyn_cast<wg::FragType>(value.getType()))
      carried += frag.getRegs();
  loop.walk([&](wg::MmaOp op) {
    if (op.getC().getDefiningOp<wg::SplatOp>())
      computed = std::max(computed, op.getResult().getType().getRegs());
  });
  return carried + computed;
}

/// With one stage the place is right behind the last use of the tile that
/// becomes free there: the copy into it has all the computation up to the next
/// round's use to hide behind. Where the fragments leave few of a lane's 255
/// registers, its addresses would not fit beside the scores, and it waits until
/// they are gone.
Operation *LoopPipeliner::placeOf(size_t position) {
  constexpr int64_t kMostBesideScores = 160;
  bool early =
      stages == 1 && position > 0 && fragmentRegisters() <= kMostBesideScores;
  return early ? loads[position - 1].lastUse->getNextNode()
               : loads[position].firstUse;
}

/// Puts the wait, the barrier and the copy that it allows at the place of a
/// load.
void LoopPipeliner::convert(size_t position) {
  b.setInsertionPoint(placeOf(position));
  wg::WaitCopiesOp::create(b, loc, total() - 2);
  wg::BarrierOp::create(b, loc, IntegerAttr());
  bool first = position == 0;
  size_t freed = first ? loads.size() - 1 : position - 1;
  issue(loads[freed], rings[freed],
        later(loop.getInductionVar(), first ? stages - 1 : stages),
        first ? slotBefore : slot);
  wg::LoadOp load = loads[position].load;
  Value tile = wg::SlotOp::create(b, load.getLoc(), rings[position], slot);
  load.getResult().replaceAllUsesWith(tile);
}

scf::ForOp LoopPipeliner::run(bool afterOthers) {
  for (const Candidate &candidate : loads) {
    wg::LoadOp load = candidate.load;
    auto type = wg::RingType::get(stages, load.getResult().getType());
    rings.push_back(allocateFor(load, type));
  }
  b.setInsertionPoint(loop);
  if (afterOthers)
    wg::BarrierOp::create(b, loc, IntegerAttr());
  for (int64_t t = 0; t < total() - 1; ++t) {
    int64_t position = t % loads.size(), iteration = t / loads.size();
    issue(loads[position], rings[position],
          later(loop.getLowerBound(), iteration), index(iteration));
  }
  addSlots();
  for (size_t i = 0; i < loads.size(); ++i)
    convert(i);
  for (const Candidate &candidate : loads)
    b.eraseOp(candidate.load);
  b.setInsertionPointAfter(loop);
  wg::WaitCopiesOp::create(b, loc, 0);
  return loop;
}

//===----------------------------------------------------------------------===//
// Loads in front of the loops
//===----------------------------------------------------------------------===//

/// Whether `user` stands behind the first wait of the pipelined `loop`.
static bool isBehindWait(Operation *user, scf::ForOp loop) {
  auto waits = loop.getBody()->getOps<wg::WaitCopiesOp>();
  return (*waits.begin())
      ->isBeforeInBlock(loop.getBody()->findAncestorOpInBlock(*user));
}

/// Groups finish in order: a load that is only used behind the waits of a
/// pipelined loop needs no wait of its own.
static void startEarly(wg::LoadOp load, const SetVector<Operation *> &loops) {
  Block *block = load->getBlock();
  Operation *firstLoop = nullptr;
  for (Operation *user : load.getResult().getUsers()) {
    Operation *place = block->findAncestorOpInBlock(*user);
    if (!loops.contains(place) || !isBehindWait(user, cast<scf::ForOp>(place)))
      return;
    if (!firstLoop || place->isBeforeInBlock(firstLoop))
      firstLoop = place;
  }
  if (!firstLoop || !canBeAsync(load))
    return;
  for (Operation *op = load; op != firstLoop; op = op->getNextNode())
    if (mayWriteGlobal(op))
      return;
  Location loc = load.getLoc();
  Value tile = allocateFor(load, load.getType());
  OpBuilder b(load);
  if (outermostLoop(load))
    wg::BarrierOp::create(b, loc, IntegerAttr());
  wg::CopyAsyncOp::create(b, loc, load.getMem(), tile, load.getRows(),
                          load.getBytesAttr());
  wg::CommitCopiesOp::create(b, loc);
  load.getResult().replaceAllUsesWith(tile);
  load.erase();
}

namespace {
struct PipelinePass : mlir::fa::impl::WgPipelineBase<PipelinePass> {
  using WgPipelineBase::WgPipelineBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values"})))
      return signalPassFailure();
    if (stages < 0) {
      module.emitError() << "expects stages of 0 or more, got "
                         << stages.getValue();
      return signalPassFailure();
    }
    FailureOr<SmallVector<gpu::GPUFuncOp>> kernels = expectKernels(module);
    if (failed(kernels))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : *kernels)
      pipeline(kernel);
    setStage(module, "pipelined");
  }

private:
  void pipeline(gpu::GPUFuncOp kernel) {
    ScheduleAttr schedule = scheduleOf(kernel);
    int64_t depth = stages ? stages : schedule ? schedule.getStages() : 0;
    SetVector<Operation *> pipelined;
    for (scf::ForOp loop : findOps<scf::ForOp>(kernel)) {
      SmallVector<Candidate> loads = findCandidates(loop);
      // A single tile leaves no place to copy to while it is read.
      if (depth * loads.size() < 2)
        continue;
      bool afterOthers = !pipelined.empty() || outermostLoop(loop);
      pipelined.insert(LoopPipeliner(loop, loads, depth).run(afterOthers));
    }
    for (wg::LoadOp load : findOps<wg::LoadOp>(kernel))
      startEarly(load, pipelined);
  }
};
} // namespace
