// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// specialized: blocks that stay take their next tile from a counter in global
// memory, which the last fetch of a launch sets back to 0. The producer fetches
// it and tells the consumers, together with what has to be divided to know
// where the tile stands:
//
//   producer: while (send tile; tile exists) { ...; tile = fetch }
//   consumer: tile = receive; while (tile exists) { ...; tile = receive }
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgSlices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGFETCHTILES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// The producer may be a tile ahead of the slowest consumer.
static constexpr int64_t kMessages = 2, kWordsStep = 4;
/// Stands for a tile's number behind the last.
static constexpr int64_t kNoTile = -1;
static constexpr llvm::StringLiteral kCounterName = "counter";

namespace {
/// Rewrites one kernel.
class TileFetcher {
public:
  explicit TileFetcher(gpu::GPUFuncOp kernel)
      : kernel(kernel), b(kernel.getContext()), loc(kernel.getLoc()) {}

  /// False, and the kernel as it was, where it is no producer and consumers
  /// with the same loop over tiles.
  bool find();
  void run();

private:
  bool canCopy(Value value);
  Value copy(Value value, IRMapping &mapping);
  void chooseMessage();
  SmallVector<Value> findPlace();
  void makeMail();
  void rewriteProducer();
  void rewriteConsumers();
  scf::WhileOp makeLoop(scf::ForOp loop, ValueRange inits, ValueRange passed);

  gpu::GPUFuncOp kernel;
  OpBuilder b;
  Location loc;
  wg::RoleOp producer, consumers;
  scf::ForOp sends, receives;
  /// What the consumers are told besides the tile's number.
  SmallVector<Value> message;
  Value counter, mail;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// The loop of `role` from the block's number on, by the number of blocks.
static scf::ForOp tileLoopOf(wg::RoleOp role) {
  for (auto loop : role.getBody().getOps<scf::ForOp>())
    if (loop.getLowerBound().getDefiningOp<gpu::BlockIdOp>() &&
        loop.getStep().getDefiningOp<gpu::GridDimOp>())
      return loop;
  return {};
}

bool TileFetcher::find() {
  for (wg::RoleOp role : findOps<wg::RoleOp>(kernel))
    (role.getSingleThread() ? producer : consumers) = role;
  if (!producer || !consumers)
    return false;
  sends = tileLoopOf(producer);
  receives = tileLoopOf(consumers);
  return sends && receives && !findOps<wg::InitOp>(kernel).empty();
}

/// Whether some part of `expr` divides by what is not a constant.
static bool divides(AffineExpr expr) {
  return expr
      .walk([](AffineExpr part) {
        auto binary = dyn_cast<AffineBinaryOpExpr>(part);
        bool division = binary && (part.getKind() == AffineExprKind::FloorDiv ||
                                   part.getKind() == AffineExprKind::CeilDiv ||
                                   part.getKind() == AffineExprKind::Mod);
        return division && !isa<AffineConstantExpr>(binary.getRHS())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool divides(Operation *op) {
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return divides(apply.getAffineMap().getResult(0));
  return isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(
             op) &&
         !matchPattern(op->getOperand(1), m_Constant());
}

/// Whether the producer can compute what the consumers know as `value`.
bool TileFetcher::canCopy(Value value) {
  if (value == receives.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !consumers->isProperAncestor(op))
    return !consumers->isAncestor(value.getParentRegion()->getParentOp());
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return canCopy(operand); });
}

/// `value`, of a role's loop, at the builder's place in the producer.
Value TileFetcher::copy(Value value, IRMapping &mapping) {
  return cloneValue(b, value, mapping, [&](Operation *op) {
    return consumers->isProperAncestor(op) || sends->isProperAncestor(op);
  });
}

/// Divisions whose results the consumers need; what only those need, they need
/// not compute.
void TileFetcher::chooseMessage() {
  Block *body = receives.getBody();
  DenseSet<Operation *> needed;
  for (Operation &op : llvm::reverse(*body)) {
    bool isNeeded = !isMemoryEffectFree(&op) || op.getNumRegions() ||
                    op.hasTrait<OpTrait::IsTerminator>() ||
                    llvm::any_of(op.getUsers(), [&](Operation *user) {
                      return user->getBlock() != body || needed.contains(user);
                    });
    if (!isNeeded)
      continue;
    if (divides(&op) && canCopy(op.getResult(0)))
      message.push_back(op.getResult(0));
    else
      needed.insert(&op);
  }
}

/// What the producer's loads ask of a tile's number alone: where it stands. It
/// divides for the consumers anyway, and need not do so twice.
SmallVector<Value> TileFetcher::findPlace() {
  Block *body = sends.getBody();
  DenseSet<Value> place{sends.getInductionVar()};
  SmallVector<Value> asked;
  DenseSet<Value> known;
  auto isPlace = [&](Value value) { return place.contains(value); };
  auto isKnown = [&](Value value) {
    return isPlace(value) || known.contains(value) ||
           value.getParentBlock() != body;
  };
  for (Operation &op : body->without_terminator())
    if (isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
        llvm::all_of(op.getOperands(), isKnown))
      (llvm::any_of(op.getOperands(), isPlace) ? place : known)
          .insert(op.result_begin(), op.result_end());
  for (Operation &op : body->without_terminator())
    for (Value result : op.getResults())
      if (isPlace(result) &&
          llvm::any_of(result.getUsers(), [&](Operation *user) {
            return user->getNumResults() == 0 ||
                   !place.contains(user->getResult(0));
          }))
        asked.push_back(result);
  return asked;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The counter as an argument, and the ring that carries messages.
void TileFetcher::makeMail() {
  MLIRContext *context = b.getContext();
  unsigned place = kernel.getNumArguments();
  auto param = ParamAttr::get(context, ParamKind::Scratch, kCounterName, -1);
  (void)kernel.insertArgument(
      place, MemRefType::get({}, b.getI32Type()),
      b.getDictionaryAttr(b.getNamedAttr(kParamAttr, param)), loc);
  counter = kernel.getArgument(place);
  wg::InitOp init = findOps<wg::InitOp>(kernel).front();
  b.setInsertionPoint(init);
  int64_t words = llvm::alignTo(1 + message.size(), kWordsStep);
  auto tile = wg::SmemType::get(1, words, b.getI32Type(), wg::Swizzle::Xor);
  mail = wg::AllocOp::create(
      b, loc, wg::RingType::get(kMessages, tile, consumers.getWarpgroups()));
  init.getRingsMutable().append(mail);
}

/// Puts a loop that carries `inits`, and has `passed` behind the first of them
/// in its body, in the place of `loop`, whose results are its last but one
/// (behind them stands the cursor of the mail).
scf::WhileOp TileFetcher::makeLoop(scf::ForOp loop, ValueRange inits,
                                   ValueRange passed) {
  b.setInsertionPoint(loop);
  SmallVector<Type> types(inits.getTypes()), inside(types);
  inside.insert(inside.begin() + 1, passed.getTypes().begin(),
                passed.getTypes().end());
  auto made = scf::WhileOp::create(b, loc, inside, inits);
  b.createBlock(&made.getBefore(), {}, types,
                SmallVector<Location>(types.size(), loc));
  b.createBlock(&made.getAfter(), {}, inside,
                SmallVector<Location>(inside.size(), loc));
  loop.replaceAllUsesWith(
      made.getResults().drop_back().take_back(loop.getNumResults()));
  return made;
}

/// Moves what `loop` does in each iteration to the end of `to`; gives what it
/// yields.
static SmallVector<Value> moveBody(scf::ForOp loop, Block *to, Value tile,
                                   ValueRange args) {
  loop.getInductionVar().replaceAllUsesWith(tile);
  for (auto [from, arg] : llvm::zip(loop.getRegionIterArgs(), args))
    from.replaceAllUsesWith(arg);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  SmallVector<Value> yielded(yield.getOperands());
  yield.erase();
  to->getOperations().splice(to->end(), loop.getBody()->getOperations());
  loop.erase();
  return yielded;
}

/// Behind the last tile it is sent that there is none.
void TileFetcher::rewriteProducer() {
  Value tiles = sends.getUpperBound();
  b.setInsertionPoint(sends);
  auto cursor =
      wg::CursorType::get(b.getContext(), kMessages, wg::Side::Producer);
  SmallVector<Value> inits{sends.getLowerBound()};
  llvm::append_range(inits, sends.getInitArgs());
  inits.push_back(wg::CursorOp::create(b, loc, cursor));
  SmallVector<Value> place = findPlace();
  scf::WhileOp loop = makeLoop(sends, inits, place);

  Block *before = loop.getBeforeBody();
  b.setInsertionPointToEnd(before);
  Value tile = before->getArgument(0), at = before->getArguments().back();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value last = arith::SubIOp::create(b, loc, tiles, one);
  Value known = arith::MinSIOp::create(b, loc, tile, last);
  IRMapping mapping;
  mapping.map(receives.getInductionVar(), known);
  mapping.map(sends.getInductionVar(), known);
  Value exists =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, tile, tiles);
  Value none = arith::ConstantIndexOp::create(b, loc, kNoTile);
  SmallVector<Value> words{arith::SelectOp::create(b, loc, exists, tile, none)};
  for (Value value : message)
    words.push_back(copy(value, mapping));
  wg::SendOp::create(b, loc, words, mail, at);
  SmallVector<Value> passed{known};
  for (Value value : place)
    passed.push_back(copy(value, mapping));
  llvm::append_range(passed, before->getArguments().drop_front().drop_back());
  passed.push_back(wg::AdvanceOp::create(b, loc, at));
  scf::ConditionOp::create(b, loc, exists, passed);

  // Fetched behind the tile's loads. The consumers still have the key tiles of
  // the rings to do, so it comes in time; fetched earlier, a block would hold a
  // tile that another one may be free for long before.
  Block *after = loop.getAfterBody();
  ValueRange args = after->getArguments();
  for (auto [known, told] : llvm::zip(place, args.drop_front()))
    known.replaceAllUsesWith(told);
  SmallVector<Value> carried =
      moveBody(sends, after, args.front(),
               args.drop_front(1 + place.size()).drop_back());
  b.setInsertionPointToEnd(after);
  SmallVector<Value> next{wg::FetchTileOp::create(b, loc, counter, tiles)};
  llvm::append_range(next, carried);
  next.push_back(args.back());
  scf::YieldOp::create(b, loc, next);
}

void TileFetcher::rewriteConsumers() {
  SmallVector<Type> types(1 + message.size(), b.getIndexType());
  auto receive = [&](Value at) {
    return wg::ReceiveOp::create(b, loc, types, mail, at).getValues();
  };
  b.setInsertionPoint(receives);
  auto cursor =
      wg::CursorType::get(b.getContext(), kMessages, wg::Side::Consumer);
  Value first = wg::CursorOp::create(b, loc, cursor);
  SmallVector<Value> inits(receive(first));
  llvm::append_range(inits, receives.getInitArgs());
  inits.push_back(wg::AdvanceOp::create(b, loc, first));
  scf::WhileOp loop = makeLoop(receives, inits, /*passed=*/{});

  Block *before = loop.getBeforeBody();
  b.setInsertionPointToEnd(before);
  Value none = arith::ConstantIndexOp::create(b, loc, kNoTile);
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                       before->getArgument(0), none);
  scf::ConditionOp::create(b, loc, exists, before->getArguments());

  Block *after = loop.getAfterBody();
  ValueRange args = after->getArguments();
  for (auto [known, told] : llvm::zip(message, args.drop_front()))
    known.replaceAllUsesWith(told);
  SmallVector<Value> carried = moveBody(
      receives, after, args.front(), args.drop_front(types.size()).drop_back());
  b.setInsertionPointToEnd(after);
  SmallVector<Value> next(receive(args.back()));
  llvm::append_range(next, carried);
  next.push_back(wg::AdvanceOp::create(b, loc, args.back()));
  scf::YieldOp::create(b, loc, next);
}

void TileFetcher::run() {
  chooseMessage();
  makeMail();
  rewriteProducer();
  rewriteConsumers();
}

/// The counter among what the runtime provides.
static NamedAttrList withCounter(Builder b, NamedAttrList fields) {
  fields.set("scratch",
             b.getArrayAttr(b.getDictionaryAttr(
                 {b.getNamedAttr("name", b.getStringAttr(kCounterName)),
                  b.getNamedAttr("bytes", b.getI64IntegerAttr(4)),
                  b.getNamedAttr("init", b.getI64IntegerAttr(0)),
                  b.getNamedAttr("owner", b.getStringAttr("stream"))})));
  return fields;
}

namespace {
struct FetchTilesPass : mlir::fa::impl::WgFetchTilesBase<FetchTilesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"specialized"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!schedule || schedule.getGrid() != Grid::Counter ||
          findOps<wg::RoleOp>(kernel).empty())
        continue;
      TileFetcher fetcher(kernel);
      if (!fetcher.find()) {
        emitRemark(kernel.getLoc())
            << "tiles with a fixed stride: no producer and consumers that have "
               "a loop over the same tiles";
        continue;
      }
      fetcher.run();
      replaceKernelEntry(
          module, kernel.getName(), [&](const NamedAttrList &fields) {
            return KernelEntries{withCounter(Builder(&getContext()), fields)};
          });
      updateTensorMaps(module, kernel);
    }
  }
};
} // namespace
