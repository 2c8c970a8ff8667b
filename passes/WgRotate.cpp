// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values: loops over key tiles are rotated, so that a tile's product with V
// stands behind the next tile's first product. A tile ends with its tail
//
//   %o1 = wg.map(%o, %alpha)        (where there is a rescale)
//   %v = wg.load ...
//   %o2 = wg.mma %p, %v, %o1
//
// The first tile stands in front of the loops. Its tail moves into the first
// iteration of the first loop that runs, and so on; behind the last loop stands
// the tail of the last tile. What a tail reads is carried to it.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgSlices.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGROTATE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// The end of one tile's computation.
struct Tail {
  wg::MmaOp product;
  wg::LoadOp load;
  /// The rows that are loaded.
  RowSlice slice;
  /// The rescale of the accumulator; null where there is none.
  wg::MapOp rescale;
  /// The accumulator that comes in.
  Value acc;
  /// Whether the rows of V that are left out do not exist: how many are read
  /// follows from the first row then.
  bool clips;
  /// What is the tile's own: its first row of V, how many exist (unless
  /// `clips`), what rescales the accumulator, the product's left operand.
  SmallVector<Value> inputs;
};

/// A row of loops behind a first tile in one block.
struct Chain {
  Tail first;
  SmallVector<scf::ForOp> loops;
  SmallVector<Tail> tails;
  /// Which of the values that the loops carry is the accumulator.
  unsigned position;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// The tail that ends in `out` in `block`; `acc` is the accumulator that comes
/// in, null where any may.
static std::optional<Tail> matchTail(Value out, Block *block, Value acc) {
  auto product = out.getDefiningOp<wg::MmaOp>();
  if (!product || product->getBlock() != block ||
      !isa<wg::FragType>(product.getA().getType()))
    return std::nullopt;
  auto load = product.getB().getDefiningOp<wg::LoadOp>();
  if (!load || load->getBlock() != block || !load.getResult().hasOneUse())
    return std::nullopt;
  OpBuilder b(load);
  std::optional<RowSlice> slice = findRowSlice(b, load.getMem());
  if (!slice)
    return std::nullopt;
  Value row = getValueOrCreateConstantIndexOp(b, load.getLoc(),
                                              slice->offsets[slice->rowDim]);
  Tail tail{product, load, *slice, {}, product.getC(), false, {row}};
  tail.clips = endsWithTensor(*slice, load.getRows(), load.getType().getRows());
  if (!tail.clips)
    tail.inputs.push_back(load.getRows());
  auto rescale = tail.acc.getDefiningOp<wg::MapOp>();
  if (rescale && rescale->getBlock() == block && tail.acc.hasOneUse()) {
    Type type = tail.acc.getType();
    tail.rescale = rescale;
    tail.acc = {};
    for (Value operand : rescale.getOperands()) {
      if (!tail.acc && (acc ? operand == acc : operand.getType() == type))
        tail.acc = operand;
      else
        tail.inputs.push_back(operand);
    }
  }
  tail.inputs.push_back(product.getA());
  if (!tail.acc || (acc && tail.acc != acc))
    return std::nullopt;
  return tail;
}

/// Whether both tails do the same with their inputs.
static bool agree(const Tail &x, const Tail &y) {
  SmallVector<OpFoldResult> offsets = y.slice.offsets;
  offsets[y.slice.rowDim] = x.slice.offsets[x.slice.rowDim];
  wg::LoadOp xLoad = x.load, yLoad = y.load;
  bool sameLoad = x.slice.tensor == y.slice.tensor &&
                  x.slice.rowDim == y.slice.rowDim && x.clips == y.clips &&
                  x.slice.offsets == offsets &&
                  xLoad.getType() == yLoad.getType() &&
                  xLoad.getBytes() == yLoad.getBytes();
  wg::MapOp xMap = x.rescale, yMap = y.rescale;
  if (!sameLoad || !xMap != !yMap ||
      ValueRange(x.inputs).getTypes() != ValueRange(y.inputs).getTypes())
    return false;
  if (!xMap)
    return true;
  // Operands may differ, what the region does with them may not.
  return ValueRange(xMap.getOperands()).getTypes() ==
             ValueRange(yMap.getOperands()).getTypes() &&
         OperationEquivalence::isRegionEquivalentTo(
             &xMap.getBody(), &yMap.getBody(),
             OperationEquivalence::IgnoreLocations);
}

/// The product that the tail of the tile before goes behind: the body's first.
static wg::MmaOp headOf(scf::ForOp loop, const Tail &tail) {
  for (auto product : loop.getBody()->getOps<wg::MmaOp>())
    return product == tail.product ? wg::MmaOp() : product;
  return {};
}

/// The chain whose first loop carries, at `position`, an accumulator that a
/// tile in front of it has made.
static std::optional<Chain> matchChain(scf::ForOp first, unsigned position) {
  Block *block = first->getBlock();
  Value init = first.getInitArgs()[position];
  Chain chain{{}, {}, {}, position};
  std::optional<Tail> front = matchTail(init, block, Value());
  if (!front)
    return std::nullopt;
  chain.first = *front;
  for (Value out = init;;) {
    if (!out.hasOneUse())
      break;
    auto loop = dyn_cast<scf::ForOp>(*out.user_begin());
    if (!loop || loop->getBlock() != block ||
        loop.getInitArgs().size() <= position ||
        loop.getInitArgs()[position] != out)
      break;
    Value acc = loop.getRegionIterArg(position);
    std::optional<Tail> tail =
        matchTail(loop.getYieldedValues()[position], loop.getBody(), acc);
    if (!tail || !acc.hasOneUse() || !agree(chain.first, *tail) ||
        !headOf(loop, *tail))
      return std::nullopt;
    chain.loops.push_back(loop);
    chain.tails.push_back(*tail);
    out = loop.getResult(position);
  }
  if (chain.loops.empty())
    return std::nullopt;
  return chain;
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

/// The rows of V's tile that exist where it starts at `row`.
static Value rowsLeft(OpBuilder &b, const Tail &tail, Value row) {
  wg::LoadOp load = tail.load;
  memref::ReinterpretCastOp tensor = tail.slice.tensor;
  Location loc = load.getLoc();
  Value extent = getValueOrCreateConstantIndexOp(
      b, loc, tensor.getMixedSizes()[tail.slice.rowDim]);
  Value left = arith::SubIOp::create(b, loc, extent, row);
  Value all = arith::ConstantIndexOp::create(b, loc, load.getType().getRows());
  return arith::MinSIOp::create(b, loc, left, all);
}

/// The tail for the tile whose values are `inputs`, on accumulator `acc`.
static Value cloneTail(OpBuilder &b, const Tail &tail, ValueRange inputs,
                       Value acc) {
  wg::LoadOp load = tail.load;
  Location loc = load.getLoc();
  const RowSlice &slice = tail.slice;
  unsigned rank = slice.offsets.size();
  memref::ReinterpretCastOp tensor = slice.tensor;
  SmallVector<OpFoldResult> offsets = slice.offsets,
                            sizes(rank, b.getIndexAttr(1)),
                            strides(rank, b.getIndexAttr(1));
  int64_t columns = load.getType().getCols();
  Value count = tail.clips ? rowsLeft(b, tail, inputs[0]) : inputs[1];
  offsets[slice.rowDim] = inputs[0];
  sizes[slice.rowDim] = count;
  sizes.back() = b.getIndexAttr(columns);
  auto type = memref::SubViewOp::inferRankReducedResultType(
      {ShapedType::kDynamic, columns}, tensor.getType(), offsets, sizes,
      strides);
  Value view = memref::SubViewOp::create(b, loc, type, tensor.getResult(),
                                         offsets, sizes, strides);
  Value tile = wg::LoadOp::create(b, loc, load.getType(), view, count,
                                  load.getBytesAttr());
  IRMapping mapping;
  mapping.map(tail.acc, acc);
  mapping.map(tail.inputs, inputs);
  if (tail.rescale)
    acc = b.clone(*tail.rescale, mapping)->getResult(0);
  wg::MmaOp product = tail.product;
  return wg::MmaOp::create(b, product.getLoc(), product.getType(),
                           inputs.back(), tile, acc, product.getTransposeB());
}

static void eraseTail(Tail &tail) {
  tail.product.erase();
  tail.load.erase();
  if (tail.rescale)
    tail.rescale.erase();
}

/// Gives the loop the values of the tile before, and takes its own out.
static scf::ForOp rotate(IRRewriter &b, scf::ForOp loop, Tail tail,
                         unsigned position, ValueRange before) {
  wg::MmaOp head = headOf(loop, tail);
  auto own = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return tail.inputs;
  };
  b.setInsertionPoint(loop);
  auto made = cast<scf::ForOp>(
      loop.replaceWithAdditionalYields(
              b, before, /*replaceInitOperandUsesInLoop=*/false, own)
          ->getOperation());
  // The body has moved, and its old arguments with it have become new ones.
  tail.acc = made.getRegionIterArg(position);
  b.setInsertionPointAfter(head);
  Value acc = cloneTail(
      b, tail, made.getRegionIterArgs().take_back(before.size()), tail.acc);
  made.getBody()->getTerminator()->setOperand(position, acc);
  eraseTail(tail);
  return made;
}

static void rotate(Chain chain) {
  IRRewriter b(chain.first.product);
  SmallVector<Value> inputs = chain.first.inputs;
  // The first loop starts from the accumulator as it comes in.
  chain.loops.front().getInitArgsMutable()[chain.position].assign(
      chain.first.acc);
  Value acc;
  scf::ForOp last;
  for (auto [loop, tail] : llvm::zip(chain.loops, chain.tails)) {
    last = rotate(b, loop, tail, chain.position, inputs);
    inputs =
        llvm::to_vector_of<Value>(last.getResults().take_back(inputs.size()));
  }
  Value out = last.getResult(chain.position);
  b.setInsertionPointAfter(last);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : out.getUses())
    uses.push_back(&use);
  acc = cloneTail(b, chain.first, inputs, out);
  for (OpOperand *use : uses)
    use->set(acc);
  eraseTail(chain.first);
}

/// The first chain of the kernel that is not rotated yet.
static std::optional<Chain> findChain(gpu::GPUFuncOp kernel) {
  for (scf::ForOp loop : findOps<scf::ForOp>(kernel))
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
      if (std::optional<Chain> chain = matchChain(loop, i))
        return chain;
  return std::nullopt;
}

namespace {
struct RotatePass : mlir::fa::impl::WgRotateBase<RotatePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!kernel->hasAttr(kTmaAttr) || !schedule || !schedule.getRotate())
        continue;
      std::optional<Chain> chain = findChain(kernel);
      if (!chain) {
        emitRemark(kernel.getLoc())
            << "not rotated: no first tile in front of loops "
               "over key tiles";
        continue;
      }
      rotate(*chain);
    }
  }
};
} // namespace
