// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constraints K17 and up, which dialect/README.md lists: what holds of
// roles, rings with barriers and products in flight.
#include "dialect/Wg/WgOps.h"
#include "dialect/Wg/WgVerify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::wg;

//===----------------------------------------------------------------------===//
// Register ops
//===----------------------------------------------------------------------===//

LogicalResult JoinRowsOp::verify() {
  // K17
  if (!getRows().getType().getPartial())
    return emitOpError() << "expects partial rows, got " << getRows().getType();
  return success();
}

/// The fragment's type with other columns.
static FragType withCols(FragType frag, int64_t cols) {
  return FragType::get(frag.getRows(), cols, frag.getElementType(),
                       frag.getLayout(), frag.getWarps());
}

/// Columns at which a fragment may be cut without cutting an instruction tile.
static int64_t columnStep(FragType frag) {
  return frag.getLayout() == FragLayout::A ? 16 : 8;
}

LogicalResult SliceOp::verify() {
  // K18
  FragType from = getFrag().getType(), to = getResult().getType();
  if (to != withCols(from, to.getCols()))
    return emitOpError() << "expects only the columns to change, got " << from
                         << " to " << to;
  int64_t first = getFirst();
  if (first % columnStep(from) || first + to.getCols() > from.getCols())
    return emitOpError() << "expects " << to.getCols()
                         << " columns inside the fragment, from a multiple of "
                         << columnStep(from) << ", got " << first << " of "
                         << from;
  return success();
}

LogicalResult ConcatOp::verify() {
  // K19
  FragType result = getResult().getType();
  int64_t cols = 0;
  for (Value part : getParts()) {
    auto type = cast<FragType>(part.getType());
    if (type != withCols(result, type.getCols()))
      return emitOpError() << "expects parts that differ from the result in "
                              "columns only, got "
                           << type << " for " << result;
    if (cols % columnStep(result))
      return emitOpError() << "expects all parts but the last in multiples of "
                           << columnStep(result) << " columns, got a part at "
                           << cols;
    cols += type.getCols();
  }
  if (cols != result.getCols())
    return emitOpError() << "expects parts of " << result.getCols()
                         << " columns together, got " << cols;
  return success();
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

LogicalResult AnyOp::verify() {
  // K20
  if (getOperands().empty())
    return emitOpError() << "expects at least one operand";
  auto first = cast<RowsType>(getOperandTypes().front());
  for (Type type : getOperandTypes())
    if (cast<RowsType>(type).joined() != first.joined())
      return emitOpError()
             << "expects operands of the same rows and warps, got " << first
             << " and " << type;
  return success();
}

/// Ops that each warp does by itself.
static bool isWarpLocal(Operation *op) {
  return !isa<WgDialect>(op->getDialect()) ||
         isa<MapOp, SplatOp, ReduceRowsOp, JoinRowsOp, SliceOp, ConcatOp,
             RelayoutOp, AnyOp, YieldOp>(op);
}

/// K21, for one scf.if on a vote.
static LogicalResult verifyVotedBranch(scf::IfOp branch) {
  WalkResult walk = branch.walk([](Operation *op) {
    if (isWarpLocal(op))
      return WalkResult::advance();
    op->emitOpError() << "needs the whole group, but stands in an scf.if on a "
                         "wg.any, which differs from warp to warp";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// The values that take over what `use` reads, as far as upstream's loops,
/// branches and logic hand it on.
static SmallVector<Value> takenOverBy(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(user))
    return {user->getResult(0)};
  if (auto loop = dyn_cast<scf::ForOp>(user))
    if (BlockArgument arg = loop.getTiedLoopRegionIterArg(&use))
      return {arg, loop.getTiedLoopResult(&use)};
  SmallVector<Value> values;
  if (isa<scf::YieldOp, wg::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    unsigned index = use.getOperandNumber();
    if (index < parent->getNumResults())
      values.push_back(parent->getResult(index));
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      values.push_back(loop.getRegionIterArg(index));
  }
  return values;
}

/// K21: follows the vote to every scf.if that it decides over.
static LogicalResult verifyVote(AnyOp vote) {
  SmallVector<Value> work = {vote.getResult()};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    for (OpOperand &use : work.pop_back_val().getUses()) {
      auto branch = dyn_cast<scf::IfOp>(use.getOwner());
      if (branch && failed(verifyVotedBranch(branch)))
        return failure();
      for (Value value : takenOverBy(use))
        if (value.getType().isInteger(1) && seen.insert(value).second)
          work.push_back(value);
    }
  }
  return success();
}

LogicalResult AnyOp::verifyRegions() {
  // K20
  Block &body = getBody().front();
  bool argumentsFit =
      body.getNumArguments() == getOperands().size() &&
      llvm::all_of(body.getArgumentTypes(), [](Type t) { return t.isF32(); });
  auto yield = dyn_cast<wg::YieldOp>(body.getTerminator());
  if (!argumentsFit || !yield || yield.getValues().size() != 1 ||
      !yield.getValues()[0].getType().isInteger(1))
    return emitOpError() << "expects one f32 region argument for each operand "
                            "and a wg.yield of one i1";
  if (failed(verifyWritesNothing(*this, body)))
    return failure();
  return verifyVote(*this);
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verify() {
  // K30
  int64_t registers = getRegisters();
  if (getWarpgroups() <= 0 || static_cast<int64_t>(getFirst()) < 0)
    return emitOpError() << "expects at least one warpgroup, got " << getFirst()
                         << " to " << getLast();
  if (registers < 24 || registers > 256 || registers % 8)
    return emitOpError()
           << "expects registers in multiples of 8 from 24 to 256, got "
           << registers;
  if (getPingPong() && getWarpgroups() < 2)
    return emitOpError()
           << "expects two or more warpgroups with ping_pong, got "
           << getWarpgroups();
  if (getTurnId() && !getPingPong())
    return emitOpError() << "expects turn_id with ping_pong only";
  if ((*this)->getParentOfType<RoleOp>())
    return emitOpError() << "expects no role around it";
  return success();
}

LogicalResult RoleOp::verifyRegions() {
  // K30
  Block &body = getBody().front();
  if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex())
    return emitOpError() << "expects one index region argument, got "
                         << body.getArgumentTypes();
  if (!getSingleThread())
    return success();
  // K31
  WalkResult walk = getBody().walk([](Operation *op) {
    bool fits = !isa<WgDialect>(op->getDialect()) ||
                isa<CursorOp, AdvanceOp, TmaLoadOp, SendOp, FetchTileOp, SlotOp,
                    wg::YieldOp>(op);
    return fits ? WalkResult::advance()
                : WalkResult(op->emitOpError()
                             << "needs more than the one thread of this role");
  });
  return failure(walk.wasInterrupted());
}

LogicalResult TurnOp::verify() {
  // K32
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getPingPong() || (*this)->getParentOfType<TurnOp>())
    return emitOpError()
           << "expects to stand in a role with ping_pong and in no other turn";
  return success();
}

LogicalResult TurnOp::verifyRegions() {
  // K32
  Operation *yield = getBody().front().getTerminator();
  if (yield->getOperandTypes() != getResultTypes())
    return emitOpError() << "expects wg.yield of " << getResultTypes()
                         << ", got " << yield->getOperandTypes();
  return success();
}

static bool isInSingleThreadRole(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return role && role.getSingleThread();
}

//===----------------------------------------------------------------------===//
// Rings with barriers
//===----------------------------------------------------------------------===//

LogicalResult InitOp::verify() {
  // K35
  if ((*this)->getParentOfType<RoleOp>())
    return emitOpError() << "expects to stand outside roles";
  for (Type type : getOperandTypes())
    if (!cast<RingType>(type).getConsumers())
      return emitOpError() << "expects rings with consumers, got " << type;
  return success();
}

/// K25, for an op on the consumers' side.
static LogicalResult verifyConsumer(Operation *op, RingType ring) {
  if (!ring.getConsumers())
    return op->emitOpError() << "expects a ring with consumers, got " << ring;
  auto role = op->getParentOfType<RoleOp>();
  if (role && role.getWarpgroups() != ring.getConsumers())
    return op->emitOpError() << "expects a ring with " << role.getWarpgroups()
                             << " consumers, the warpgroups of role "
                             << role.getNameAttr() << ", got " << ring;
  return success();
}

LogicalResult AcquireOp::verify() {
  return verifyConsumer(*this, getRing().getType());
}

LogicalResult PeekOp::verify() {
  return verifyConsumer(*this, getRing().getType());
}

/// K24, the part that loads and stores share.
static LogicalResult verifyMap(Operation *op, TensorMapType map, SmemType tile,
                               size_t coords) {
  if (map.getTile() != tile)
    return op->emitOpError()
           << "expects a map of the tile " << tile << ", got " << map;
  if (static_cast<int64_t>(coords) != map.getRank())
    return op->emitOpError()
           << "expects " << map.getRank() << " coordinates, got " << coords;
  return success();
}

LogicalResult TmaLoadOp::verify() {
  RingType ring = getRing().getType();
  // K24
  if (!ring.getConsumers())
    return emitOpError() << "expects a ring with consumers, got " << ring;
  return verifyMap(*this, getMap().getType(), ring.getTile(),
                   getCoords().size());
}

LogicalResult TmaStoreOp::verify() {
  return verifyMap(*this, getMap().getType(), getTile().getType(),
                   getCoords().size());
}

/// K33, for a ring that carries `count` numbers.
static LogicalResult verifyMail(Operation *op, RingType ring, size_t count) {
  if (!ring.carriesNumbers())
    return op->emitOpError()
           << "expects a ring of 1xNxi32 with consumers, got " << ring;
  if (int64_t most = ring.getTile().getCols(); int64_t(count) > most)
    return op->emitOpError()
           << "expects at most " << most << " values, got " << count;
  return success();
}

LogicalResult SendOp::verify() {
  // K33
  if (!isInSingleThreadRole(*this))
    return emitOpError() << "expects to stand in a role with single_thread";
  return verifyMail(*this, getRing().getType(), getValues().size());
}

LogicalResult ReceiveOp::verify() {
  if (failed(verifyMail(*this, getRing().getType(), getValues().size())))
    return failure();
  return verifyConsumer(*this, getRing().getType());
}

LogicalResult FetchTileOp::verify() {
  // K34
  if (!isInSingleThreadRole(*this))
    return emitOpError() << "expects to stand in a role with single_thread";
  return success();
}

LogicalResult BandOp::verify() {
  // K29
  SmemType from = getTile().getType(), to = getResult().getType();
  bool panels = from.getSwizzle() == Swizzle::Xor
                    ? to.getPanelRows() == to.getRows()
                    : to.getPanelRows() == from.getPanelRows();
  if (to.getCols() != from.getCols() ||
      to.getElementType() != from.getElementType() ||
      to.getSwizzle() != from.getSwizzle() || !panels)
    return emitOpError()
           << "expects only the rows to change and the panels to stay where "
              "they are, got "
           << from << " to " << to;
  if (from.getRows() % to.getRows() || to.getRows() % 8)
    return emitOpError() << "expects rows in multiples of 8 that divide "
                         << from.getRows() << ", got " << to.getRows();
  return success();
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
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    BlockArgument arg = loop.getTiedLoopRegionIterArg(&use);
    return failure(
        failed(verifyPending(op, arg, seen)) ||
        failed(verifyPending(op, loop.getTiedLoopResult(&use), seen)));
  }
  Operation *parent = user->getParentOp();
  unsigned index = use.getOperandNumber();
  bool handsOn = isa<scf::YieldOp, wg::YieldOp>(user) &&
                 isa<scf::ForOp, scf::IfOp, TurnOp>(parent);
  if (!handsOn)
    return op->emitOpError() << "expects its product in flight to reach a "
                                "wg.wait_mma, got "
                             << user->getName();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    if (failed(verifyPending(op, loop.getRegionIterArg(index), seen)))
      return failure();
  return verifyPending(op, parent->getResult(index), seen);
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
  for (Operation *op = startA; op && op->getBlock(); op = op->getParentOp())
    if (Operation *other = op->getBlock()->findAncestorOpInBlock(*startB))
      return op != other && op->isBeforeInBlock(other);
  return false;
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
  if (failed(verifyConsumer(*this, getRing().getType())))
    return failure();
  // K36
  for (Operation *user : getRing().getUsers()) {
    auto acquire = dyn_cast<AcquireOp>(user);
    if (!acquire || acquire.getCursor() != getCursor())
      continue;
    for (Operation *reader : acquire.getResult().getUsers()) {
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
