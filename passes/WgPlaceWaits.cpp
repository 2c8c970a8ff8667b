// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: the product with V is waited for among the exponentials. Those of the
// first columns run in its shadow; the rest, behind the wait, in that of what
// the other warpgroups start. What reads them stands behind the wait: sums
// would wait for exponentials in front of it, and roundings write the product's
// left operand for the next one.
//
// ptxas keeps to no order inside a block, but comes near to this one; left to
// itself it waits behind some four of 64 exponentials. A branch would pin the
// wait's place, and was slower: more exponentials then move in front of it.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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

namespace {
/// Readers of a map's fragment that may be done where the map is, part by part:
/// sums over rows and maps that do not ask for the place of an element.
struct PartReaders {
  /// In program order, all in front of what reads their results.
  SmallVector<Operation *> ops;
  /// Whether the fragment has no other reader.
  bool all = true;
};
} // namespace

static bool readsByPart(Operation *op) {
  if (auto reduce = dyn_cast<wg::ReduceRowsOp>(op))
    return reduce.getKind() == wg::Combine::AddF;
  auto map = dyn_cast<wg::MapOp>(op);
  return map && map.getNumOperands() == 1 && isa<wg::FragType>(map.getType()) &&
         map.getBody().getArgument(1).use_empty() &&
         map.getBody().getArgument(2).use_empty();
}

/// The readers of `map` in front of the first op behind it with an effect, not
/// counting those of `moving`.
static PartReaders readersByPart(wg::MapOp map, ArrayRef<Operation *> moving) {
  PartReaders readers;
  Block *block = map->getBlock();
  Operation *end = map->getNextNode();
  while (!end->hasTrait<OpTrait::IsTerminator>() &&
         (isMemoryEffectFree(end) || llvm::is_contained(moving, end)))
    end = end->getNextNode();
  for (Operation *user : map->getUsers()) {
    bool fits = user->getBlock() == block && user->isBeforeInBlock(end) &&
                readsByPart(user);
    if (fits)
      readers.ops.push_back(user);
    readers.all &= fits;
  }
  llvm::sort(readers.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  auto standsBehind = [&](Operation *user) {
    Operation *inBlock = block->findAncestorOpInBlock(*user);
    return inBlock && readers.ops.back()->isBeforeInBlock(inBlock);
  };
  for (Operation *reader : readers.ops)
    if (!llvm::all_of(reader->getUsers(), standsBehind))
      return {{}, false};
  return readers;
}

/// `reader` of the exponentials on a part of them. A sum goes on from `before`,
/// the part in front of it, where there is one.
static Value readPart(OpBuilder &b, Operation *reader, Value all, Value part,
                      Value before) {
  IRMapping mapping;
  mapping.map(all, part);
  auto reduce = dyn_cast<wg::ReduceRowsOp>(reader);
  if (reduce && before)
    mapping.map(reduce.getInit(), before);
  Value result = b.clone(*reader, mapping)->getResult(0);
  if (!reduce)
    result.setType(withColumns(result.getType(),
                               cast<wg::FragType>(part.getType()).getCols()));
  return result;
}

static Value concat(OpBuilder &b, Location loc, Type type, Value early,
                    Value late) {
  return wg::ConcatOp::create(b, loc, type, ValueRange{early, late});
}

/// Splits `map` and its readers in two and moves `wait`, with the releases
/// behind it, between the halves.
static void placeWait(wg::WaitMmaOp wait, wg::MapOp map, int64_t columns) {
  SmallVector<Operation *> waiting{wait};
  while (isa<wg::ReleaseOp>(waiting.back()->getNextNode()))
    waiting.push_back(waiting.back()->getNextNode());
  PartReaders found = readersByPart(map, waiting);
  SmallVector<Operation *> readers;
  if (found.all)
    readers = found.ops;
  Operation *place = readers.empty() ? map : readers.back();
  OpBuilder b(place);
  Location loc = map.getLoc();
  Value all = map.getResult();
  auto type = cast<wg::FragType>(all.getType());
  Value early = mapColumns(b, map, 0, columns);
  for (Operation *op : waiting)
    op->moveBefore(place);
  SmallVector<Value> parts(readers.size());
  for (auto [reader, part] : llvm::zip_equal(readers, parts))
    part = readPart(b, reader, all, early, Value());
  Value late = mapColumns(b, map, columns, type.getCols() - columns);
  for (auto [reader, before] : llvm::zip_equal(readers, parts)) {
    Value result = readPart(b, reader, all, late, before);
    if (isa<wg::MapOp>(reader))
      result = concat(b, loc, reader->getResult(0).getType(), before, result);
    reader->getResult(0).replaceAllUsesWith(result);
  }
  for (Operation *reader : readers)
    reader->erase();
  if (readers.empty())
    all.replaceAllUsesWith(concat(b, loc, type, early, late));
  map.erase();
}

/// The last wait of the loop's body and the exponentials in front of it.
static void place(scf::ForOp loop, int64_t columns) {
  wg::WaitMmaOp last = lastWait(loop);
  wg::MapOp exponentials;
  for (auto map : loop.getOps<wg::MapOp>())
    if (isExponential(map))
      exponentials = map;
  if (!last || !exponentials || !exponentials->isBeforeInBlock(last))
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
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!schedule || !schedule.getVWait())
        continue;
      for (scf::ForOp loop : findOps<scf::ForOp>(kernel))
        place(loop, schedule.getVWait());
    }
  }
};
} // namespace
