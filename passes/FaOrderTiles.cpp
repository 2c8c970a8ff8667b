// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// masked -> masked: a loop over (batch, head, tile) goes by groups of heads,
// and in a group by the tile first. Blocks that start together then share the K
// and V of a few heads, which stay in the second-level cache, and the light
// tiles of all those heads come last.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAORDERTILES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// The loop's bounds, and how many of the query heads go together.
struct Order {
  Value batches, heads, tiles, group;
};
} // namespace

/// The entry's tensor of that name, null where there is none.
static Value findTensor(func::FuncOp entry, StringRef name) {
  for (BlockArgument argument : entry.getArguments()) {
    auto tensor = entry.getArgAttrOfType<TensorAttr>(argument.getArgNumber(),
                                                     kTensorAttr);
    if (tensor && tensor.getName() == name &&
        isa<MemRefType>(argument.getType()))
      return argument;
  }
  return {};
}

static int64_t bytesOfRow(Value tensor) {
  auto type = cast<MemRefType>(tensor.getType());
  return type.getShape().back() * type.getElementTypeBitWidth() / 8;
}

/// How many query heads share `mebibytes` for their K and V, at least those of
/// one key head.
static Value headsOfGroup(ImplicitLocOpBuilder &b, func::FuncOp entry,
                          Value batches, Value heads, int64_t mebibytes) {
  Value k = findTensor(entry, "k"), v = findTensor(entry, "v");
  auto problem = entry->getAttrOfType<DictionaryAttr>(kProblemAttr);
  auto layout = problem ? problem.getAs<StringAttr>("layout") : StringAttr();
  if (!k || !v || !layout)
    return {};
  int64_t headDim = layout.getValue() == "bshd" ? 2 : 1;
  auto constant = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, n);
  };
  auto size = [&](int64_t dim) -> Value {
    return b.createOrFold<memref::DimOp>(k, constant(dim));
  };
  Value rows = constant((mebibytes << 20) / (bytesOfRow(k) + bytesOfRow(v)));
  Value keys = arith::MaxSIOp::create(b, size(3 - headDim), constant(1));
  Value fit = arith::DivUIOp::create(b, rows, keys);
  Value some = arith::MaxSIOp::create(b, fit, constant(1));
  Value all = arith::MulIOp::create(b, batches, size(headDim));
  Value most = arith::MinSIOp::create(b, some, all);
  Value shared = arith::DivUIOp::create(b, heads, size(headDim));
  return arith::MulIOp::create(b, most, shared);
}

/// Batch, head and tile of iteration `n`.
static SmallVector<Value> findIteration(ImplicitLocOpBuilder &b, Order order,
                                        Value n) {
  auto div = [&](Value x, Value y) -> Value {
    return arith::DivUIOp::create(b, x, y);
  };
  auto rem = [&](Value x, Value y) -> Value {
    return arith::RemUIOp::create(b, x, y);
  };
  Value groupTiles = arith::MulIOp::create(b, order.group, order.tiles);
  Value allHeads = arith::MulIOp::create(b, order.batches, order.heads);
  Value first = arith::MulIOp::create(b, div(n, groupTiles), order.group);
  Value left = arith::SubIOp::create(b, allHeads, first);
  Value size = arith::MinSIOp::create(b, left, order.group);
  Value inGroup = rem(n, groupTiles);
  Value head = arith::AddIOp::create(b, first, rem(inGroup, size));
  return {div(head, order.heads), rem(head, order.heads), div(inGroup, size)};
}

/// The loop with one induction variable, which runs as often.
static void reorder(scf::ForallOp loop, Order order) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  AffineExpr x, y, z;
  bindSymbols(b.getContext(), x, y, z);
  OpFoldResult all = affine::makeComposedFoldedAffineApply(
      b, loop.getLoc(), x * y * z, {order.batches, order.heads, order.tiles});
  auto mapping = b.getArrayAttr(
      gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX));
  auto made = scf::ForallOp::create(b, ArrayRef<OpFoldResult>{all},
                                    ValueRange(), mapping);
  made->setAttr(kScheduleAttr, loop->getAttr(kScheduleAttr));
  b.setInsertionPointToStart(made.getBody());
  SmallVector<Value> position =
      findIteration(b, order, made.getInductionVar(0));
  for (auto [from, to] : llvm::zip(loop.getInductionVars(), position))
    from.replaceAllUsesWith(to);
  Operation *end = made.getBody()->getTerminator();
  for (Operation &op :
       llvm::make_early_inc_range(loop.getBody()->without_terminator()))
    op.moveBefore(end);
  loop.erase();
}

/// The loop's order where its schedule asks for groups of heads.
static std::optional<Order> findOrder(scf::ForallOp loop) {
  auto schedule = loop->getAttrOfType<ScheduleAttr>(kScheduleAttr);
  auto entry = dyn_cast<func::FuncOp>(loop->getParentOp());
  if (!schedule || schedule.getHeadGroup() == 0 ||
      schedule.getOrder() != TileOrder::HeaviestFirst || !entry ||
      loop.getRank() != 3 || !loop.isNormalized() || loop.getNumResults())
    return std::nullopt;
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  SmallVector<Value> bounds;
  for (OpFoldResult bound : loop.getMixedUpperBound())
    bounds.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), bound));
  Value group =
      headsOfGroup(b, entry, bounds[0], bounds[1], schedule.getHeadGroup());
  if (!group)
    return std::nullopt;
  return Order{bounds[0], bounds[1], bounds[2], group};
}

namespace {
struct OrderTilesPass : mlir::fa::impl::FaOrderTilesBase<OrderTilesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"online", "masked"})))
      return signalPassFailure();
    SmallVector<scf::ForallOp> loops;
    module.walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    for (scf::ForallOp loop : loops)
      if (std::optional<Order> order = findOrder(loop))
        reorder(loop, *order);
  }
};
} // namespace
