// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// specialized: O leaves by TMA. Each consumer warpgroup has a shared tile of
// its own, which it fills when the last store has read it; the store then runs
// under whatever comes next.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGSTORETMA
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Columns of the tile: a wide O leaves in rounds, so that its tile stays small
/// beside the rings.
static constexpr int64_t kMostColumns = 128, kPanelColumns = 64;

static int64_t columnsOfRound(int64_t columns) {
  if (columns <= kMostColumns)
    return columns;
  return columns % kMostColumns == 0 ? kMostColumns : kPanelColumns;
}

namespace {
/// Rewrites the stores of one role.
class StoreRewriter {
public:
  StoreRewriter(gpu::GPUFuncOp kernel, wg::RoleOp role)
      : kernel(kernel), role(role), b(role) {}

  /// Whether any store became one by TMA.
  bool run();

private:
  bool convert(wg::StoreOp store);
  Value makeMap(const RowSlice &slice, wg::SmemType tile);
  void storeRound(wg::StoreOp store, const RowSlice &slice, Value map,
                  Value tile, int64_t first);

  gpu::GPUFuncOp kernel;
  wg::RoleOp role;
  OpBuilder b;
};
} // namespace

/// A tensor map of the tensor as one more argument, in front of its pointer.
Value StoreRewriter::makeMap(const RowSlice &slice, wg::SmemType tile) {
  unsigned place = slice.getPointer().getArgNumber();
  auto pointer = kernel.getArgAttrOfType<ParamAttr>(place, kParamAttr);
  auto type =
      wg::TensorMapType::get(b.getContext(), tile, slice.offsets.size());
  SmallVector<NamedAttribute> attrs;
  if (pointer)
    attrs.push_back(b.getNamedAttr(
        kParamAttr, ParamAttr::get(b.getContext(), ParamKind::TensorMap,
                                   pointer.getName(), slice.rowDim)));
  (void)kernel.insertArgument(place, type, b.getDictionaryAttr(attrs),
                              kernel.getLoc());
  return kernel.getArgument(place);
}

void StoreRewriter::storeRound(wg::StoreOp store, const RowSlice &slice,
                               Value map, Value tile, int64_t first) {
  Location loc = store.getLoc();
  auto type = cast<wg::SmemType>(tile.getType());
  wg::FragType frag = store.getFrag().getType();
  Value part = store.getFrag();
  if (type.getCols() != frag.getCols()) {
    auto piece =
        wg::FragType::get(frag.getRows(), type.getCols(), frag.getElementType(),
                          frag.getLayout(), frag.getWarps());
    part = wg::SliceOp::create(b, loc, piece, part, first);
  }
  SmallVector<Value> coords;
  for (unsigned dim = 0; dim + 1 < slice.offsets.size(); ++dim)
    if (dim != slice.rowDim)
      coords.push_back(
          getValueOrCreateConstantIndexOp(b, loc, slice.offsets[dim]));
  coords.push_back(
      getValueOrCreateConstantIndexOp(b, loc, slice.offsets[slice.rowDim]));
  coords.push_back(arith::ConstantIndexOp::create(b, loc, first));
  // The last store has read the tile; all have written it; TMA takes it.
  wg::WaitStoresOp::create(b, loc, wg::StoreWait::Read);
  wg::BarrierOp::create(b, loc);
  wg::PutOp::create(b, loc, part, tile);
  wg::FenceAsyncOp::create(b, loc);
  wg::BarrierOp::create(b, loc);
  wg::TmaStoreOp::create(b, loc, tile, map, coords);
}

bool StoreRewriter::convert(wg::StoreOp store) {
  wg::FragType frag = store.getFrag().getType();
  b.setInsertionPoint(store);
  std::optional<RowSlice> slice = findRowSlice(b, store.getMem());
  if (!slice || frag.getElementType().getIntOrFloatBitWidth() != 16 ||
      !endsWithTensor(*slice, store.getRows(), frag.getRows()))
    return false;
  int64_t columns = columnsOfRound(frag.getCols());
  if (frag.getCols() % columns)
    return false;
  auto type = wg::SmemType::get(frag.getRows(), columns, frag.getElementType(),
                                wg::Swizzle::Sw128);
  Value map = makeMap(*slice, type);
  OpBuilder outside(role);
  Value tiles = wg::AllocOp::create(
      outside, store.getLoc(), wg::RingType::get(role.getWarpgroups(), type));
  Value tile = wg::SlotOp::create(b, store.getLoc(), tiles,
                                  role.getBody().getArgument(0));
  for (int64_t first = 0; first < frag.getCols(); first += columns)
    storeRound(store, *slice, map, tile, first);
  store.erase();
  return true;
}

bool StoreRewriter::run() {
  SmallVector<wg::StoreOp> stores;
  role.walk([&](wg::StoreOp store) { stores.push_back(store); });
  bool any = false;
  for (wg::StoreOp store : stores)
    any |= convert(store);
  if (!any)
    return false;
  // Shared memory outlives the stores that read it.
  b.setInsertionPoint(role.getBody().front().getTerminator());
  wg::WaitStoresOp::create(b, role.getLoc(), wg::StoreWait::Done);
  return true;
}

namespace {
struct StoreTmaPass : mlir::fa::impl::WgStoreTmaBase<StoreTmaPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"specialized"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!schedule || !schedule.getTmaStore() ||
          findOps<wg::RoleOp>(kernel).empty())
        continue;
      bool any = false;
      for (wg::RoleOp role : findOps<wg::RoleOp>(kernel))
        if (!role.getSingleThread())
          any |= StoreRewriter(kernel, role).run();
      if (any)
        updateTensorMaps(module, kernel);
      else
        emitRemark(kernel.getLoc())
            << "O is stored by its threads: its rows do not "
               "end where the tensor ends";
    }
  }
};
} // namespace
