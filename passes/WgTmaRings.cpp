// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values: the tiles of kernels with `fa.tma` come by TMA. Each tensor that is
// loaded gets a tensor map and a ring, and each load becomes a fill of the
// ring's next slot, a wait for it and, behind the last reader, its release:
//
//   %t = wg.load %rows ...       wg.tma_load %map[...], %ring[%from]
//                                %t = wg.acquire %ring[%to]
//   ... %t ...            ==>    ... %t ...
//                                wg.release %ring[%to]
//
// Loops and branches carry the two cursors of each ring that they use.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGTMARINGS
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A ring, the map that fills it, and where its two sides stand.
struct Ring {
  BlockArgument pointer;
  wg::SmemType tile;
  unsigned rowDim;
  int64_t rank;
  int64_t stages = 1;
  Value map = {}, storage = {}, from = {}, to = {};
};

/// Rewrites one kernel.
class RingBuilder {
public:
  RingBuilder(gpu::GPUFuncOp kernel, ScheduleAttr schedule)
      : kernel(kernel), schedule(schedule), b(kernel.getContext()) {}

  /// False, and the kernel as it was, where some load is not what TMA does.
  bool plan();
  void run();

private:
  bool plan(wg::LoadOp load);
  int64_t stagesOf(wg::LoadOp load);
  void makeRings();
  void convertBlock(Block &block);
  void convertLoad(wg::LoadOp load);
  void convertFor(scf::ForOp loop);
  void convertIf(scf::IfOp branch);
  SmallVector<unsigned> ringsIn(Operation *op);
  SmallVector<Value> cursors(ArrayRef<unsigned> used);
  void setCursors(ArrayRef<unsigned> used, ValueRange values);
  void zeroMissingRows(wg::LoadOp load, const RowSlice &slice, Value tile);
  void release(const Ring &ring, Block &block, Operation *from,
               ArrayRef<Operation *> readers);

  gpu::GPUFuncOp kernel;
  ScheduleAttr schedule;
  IRRewriter b;
  SmallVector<Ring> rings;
  DenseMap<Operation *, unsigned> ringOf;
};
} // namespace

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

/// What comes once for a query tile needs no more than Q does; what a loop over
/// key tiles brings needs the depth.
int64_t RingBuilder::stagesOf(wg::LoadOp load) {
  auto loop = load->getParentOfType<scf::ForOp>();
  if (!loop)
    return 1;
  bool isTileLoop =
      staysForTiles(kernel) && !loop->getParentOfType<scf::ForOp>();
  return isTileLoop ? schedule.getQBuffers() : schedule.getStages();
}

bool RingBuilder::plan(wg::LoadOp load) {
  b.setInsertionPoint(load);
  std::optional<RowSlice> slice = findRowSlice(b, load.getMem());
  wg::SmemType tile = load.getType();
  if (!slice || tile.getSwizzle() != wg::Swizzle::Sw128)
    return false;
  for (Operation *user : load.getResult().getUsers())
    if (user->hasTrait<OpTrait::IsTerminator>())
      return false;
  for (Operation *op = load->getParentOp(); op != kernel;
       op = op->getParentOp())
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return false;
  int64_t rank = slice->offsets.size();
  BlockArgument pointer = slice->getPointer();
  auto known = llvm::find_if(rings, [&](const Ring &ring) {
    return ring.pointer == pointer && ring.tile == tile &&
           ring.rowDim == slice->rowDim && ring.rank == rank;
  });
  ringOf[load] = known - rings.begin();
  if (known == rings.end())
    known = rings.insert(known, Ring{pointer, tile, slice->rowDim, rank});
  known->stages = std::max(known->stages, stagesOf(load));
  return rank >= 2 && rank <= 5;
}

bool RingBuilder::plan() {
  SmallVector<wg::LoadOp> loads = findOps<wg::LoadOp>(kernel);
  return llvm::all_of(loads, [&](wg::LoadOp load) { return plan(load); });
}

/// Storage, barriers and cursors at the kernel's start; the maps stand in front
/// of the pointers among its arguments.
void RingBuilder::makeRings() {
  Location loc = kernel.getLoc();
  for (Ring &ring : rings) {
    unsigned place = ring.pointer.getArgNumber();
    auto pointer = kernel.getArgAttrOfType<ParamAttr>(place, kParamAttr);
    auto type = wg::TensorMapType::get(b.getContext(), ring.tile, ring.rank);
    SmallVector<NamedAttribute> attrs;
    if (pointer)
      attrs.push_back(b.getNamedAttr(
          kParamAttr, ParamAttr::get(b.getContext(), ParamKind::TensorMap,
                                     pointer.getName(), ring.rowDim)));
    (void)kernel.insertArgument(place, type, b.getDictionaryAttr(attrs), loc);
    ring.map = kernel.getArgument(place);
  }
  b.setInsertionPointToStart(&kernel.getBody().front());
  SmallVector<Value> storage;
  int64_t consumers = schedule.getWarps() / 4;
  for (Ring &ring : rings) {
    auto type = wg::RingType::get(ring.stages, ring.tile, consumers);
    ring.storage = wg::AllocOp::create(b, loc, type);
    storage.push_back(ring.storage);
  }
  wg::InitOp::create(b, loc, storage);
  auto cursor = [&](int64_t stages, wg::Side side) -> Value {
    return wg::CursorOp::create(
        b, loc, wg::CursorType::get(b.getContext(), stages, side));
  };
  for (Ring &ring : rings) {
    ring.from = cursor(ring.stages, wg::Side::Producer);
    ring.to = cursor(ring.stages, wg::Side::Consumer);
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// TMA brings zeros only where the tensor ends.
void RingBuilder::zeroMissingRows(wg::LoadOp load, const RowSlice &slice,
                                  Value tile) {
  int64_t rows = load.getType().getRows();
  if (endsWithTensor(slice, load.getRows(), rows))
    return;
  Location loc = load.getLoc();
  Value all = arith::ConstantIndexOp::create(b, loc, rows);
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                     load.getRows(), all);
  auto guard = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
  OpBuilder inner = guard.getThenBodyBuilder();
  wg::ZeroRowsOp::create(inner, loc, tile, load.getRows());
  wg::FenceAsyncOp::create(inner, loc);
  wg::BarrierOp::create(inner, loc);
}

/// Gives the slot back behind the last of `readers` in `block`, not before
/// `from`; first in the block where both are missing. Where that reader stands
/// in a branch, each side gives it back: the next tile is loaded under what the
/// branch does behind it.
void RingBuilder::release(const Ring &ring, Block &block, Operation *from,
                          ArrayRef<Operation *> readers) {
  Operation *last = from;
  for (Operation *reader : readers) {
    Operation *place = block.findAncestorOpInBlock(*reader);
    if (place && (!last || last->isBeforeInBlock(place)))
      last = place;
  }
  auto branch = last == from ? scf::IfOp() : dyn_cast<scf::IfOp>(last);
  if (!branch) {
    if (last)
      b.setInsertionPointAfter(last);
    else
      b.setInsertionPointToStart(&block);
    wg::ReleaseOp::create(b, kernel.getLoc(), ring.storage, ring.to);
    return;
  }
  if (branch.getElseRegion().empty()) {
    b.createBlock(&branch.getElseRegion());
    scf::YieldOp::create(b, branch.getLoc());
  }
  for (Region &side : branch->getRegions())
    release(ring, side.front(), /*from=*/nullptr, readers);
}

void RingBuilder::convertLoad(wg::LoadOp load) {
  Location loc = load.getLoc();
  Ring &ring = rings[ringOf.lookup(load)];
  b.setInsertionPoint(load);
  RowSlice slice = *findRowSlice(b, load.getMem());
  SmallVector<Value> coords;
  auto coordinate = [&](unsigned dim) {
    coords.push_back(
        getValueOrCreateConstantIndexOp(b, loc, slice.offsets[dim]));
  };
  for (unsigned dim = 0; dim + 1 < slice.offsets.size(); ++dim)
    if (dim != slice.rowDim)
      coordinate(dim);
  coordinate(slice.rowDim);
  coordinate(slice.offsets.size() - 1);
  wg::TmaLoadOp::create(b, loc, ring.map, coords, ring.storage, ring.from);
  ring.from = wg::AdvanceOp::create(b, loc, ring.from);
  Value tile = wg::AcquireOp::create(b, loc, ring.storage, ring.to);
  zeroMissingRows(load, slice, tile);
  Operation *ready = b.getInsertionPoint()->getPrevNode();
  release(ring, *load->getBlock(), ready,
          llvm::to_vector(load.getResult().getUsers()));
  b.setInsertionPoint(load);
  ring.to = wg::AdvanceOp::create(b, loc, ring.to);
  b.replaceOp(load, tile);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<unsigned> RingBuilder::ringsIn(Operation *op) {
  llvm::SmallSetVector<unsigned, 4> used;
  op->walk([&](wg::LoadOp load) { used.insert(ringOf.lookup(load)); });
  return used.takeVector();
}

SmallVector<Value> RingBuilder::cursors(ArrayRef<unsigned> used) {
  SmallVector<Value> values;
  for (unsigned ring : used)
    values.append({rings[ring].from, rings[ring].to});
  return values;
}

void RingBuilder::setCursors(ArrayRef<unsigned> used, ValueRange values) {
  for (auto [i, ring] : llvm::enumerate(used)) {
    rings[ring].from = values[2 * i];
    rings[ring].to = values[2 * i + 1];
  }
}

void RingBuilder::convertFor(scf::ForOp loop) {
  SmallVector<unsigned> used = ringsIn(loop);
  auto keep = [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
    return SmallVector<Value>(added.begin(), added.end());
  };
  b.setInsertionPoint(loop);
  auto made = cast<scf::ForOp>(
      loop.replaceWithAdditionalYields(
              b, cursors(used), /*replaceInitOperandUsesInLoop=*/false, keep)
          ->getOperation());
  unsigned added = 2 * used.size();
  setCursors(used, made.getRegionIterArgs().take_back(added));
  convertBlock(*made.getBody());
  Operation *yield = made.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - added, added, cursors(used));
  setCursors(used, made.getResults().take_back(added));
}

void RingBuilder::convertIf(scf::IfOp branch) {
  SmallVector<unsigned> used = ringsIn(branch);
  SmallVector<Value> before = cursors(used);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, ValueRange(before).getTypes());
  b.setInsertionPoint(branch);
  auto made =
      scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false, false);
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  if (made.getElseRegion().empty()) {
    b.createBlock(&made.getElseRegion());
    scf::YieldOp::create(b, branch.getLoc());
  }
  for (Region &region : made->getRegions()) {
    setCursors(used, before);
    convertBlock(region.front());
    Operation *yield = region.front().getTerminator();
    yield->insertOperands(yield->getNumOperands(), cursors(used));
  }
  unsigned old = branch.getNumResults();
  setCursors(used, made.getResults().drop_front(old));
  b.replaceOp(branch, made.getResults().take_front(old));
}

void RingBuilder::convertBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<wg::LoadOp>(op)) {
      convertLoad(load);
      continue;
    }
    if (ringsIn(&op).empty())
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      convertFor(loop);
    else
      convertIf(cast<scf::IfOp>(op));
  }
}

void RingBuilder::run() {
  makeRings();
  convertBlock(kernel.getBody().front());
}

namespace {
struct TmaRingsPass : mlir::fa::impl::WgTmaRingsBase<TmaRingsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      if (!kernel->hasAttr(kTmaAttr))
        continue;
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!schedule || schedule.getWarps() % 4) {
        kernel.emitOpError() << "expects a schedule with warps in multiples of "
                                "4 on a kernel with "
                             << kTmaAttr;
        return signalPassFailure();
      }
      RingBuilder builder(kernel, schedule);
      if (builder.plan()) {
        builder.run();
        updateTensorMaps(module, kernel);
      } else if (failed(drop(module, kernel))) {
        return signalPassFailure();
      }
    }
  }

  /// The kernel behind this one in the manifest takes the same tensors.
  LogicalResult drop(ModuleOp module, gpu::GPUFuncOp kernel) {
    if (!module->hasAttr(kManifestAttr))
      return kernel.emitOpError() << "expects loads of rows of the kernel's "
                                     "tensors, which TMA can do";
    emitRemark(kernel.getLoc())
        << "left out: some load is not of rows of one of the "
           "kernel's tensors, as TMA wants them";
    replaceKernelEntry(module, kernel.getName(),
                       [](NamedAttrList) { return KernelEntries{}; });
    kernel.erase();
    return success();
  }
};
} // namespace
