// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// specialized -> async: the products of roles are started where they stood and
// waited for in front of the first op that needs their result. What stands
// between runs in their shadow, later products included; a slot that a product
// reads is given back behind its wait.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGASYNC
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A product that has been started and not been waited for.
struct InFlight {
  Value pending;
  /// The synchronous product's result, which the wait's will replace.
  Value result;
  /// Of the slots that the product reads.
  SmallVector<wg::ReleaseOp> releases;
};

/// Rewrites one block, from its first op to its last.
class BlockRewriter {
public:
  explicit BlockRewriter(Block &block) : block(block), b(block.getParentOp()) {}
  void run();

private:
  void start(wg::MmaOp product);
  void finish(size_t count, Operation *before);
  size_t neededBy(Operation *op);
  InFlight *readerOf(wg::ReleaseOp release);

  Block &block;
  OpBuilder b;
  SmallVector<InFlight> inFlight;
};
} // namespace

/// Moves what waits for the tile that `product` multiplies by down to it, so
/// that work on registers in between runs while the tile is on its way.
static void acquireLate(wg::MmaOp product) {
  auto acquire = product.getB().getDefiningOp<wg::AcquireOp>();
  if (!acquire || acquire->getBlock() != product->getBlock())
    return;
  for (Operation *op = acquire->getNextNode(); op != product;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) || llvm::is_contained(acquire->getUsers(), op))
      return;
  acquire->moveBefore(product);
}

void BlockRewriter::start(wg::MmaOp product) {
  acquireLate(product);
  b.setInsertionPoint(product);
  Value c =
      isSplatOf(product.getC(), m_AnyZeroFloat()) ? Value() : product.getC();
  auto type =
      wg::PendingType::get(cast<wg::FragType>(product.getResult().getType()));
  Value pending = wg::MmaAsyncOp::create(
      b, product.getLoc(), type, product.getA(), product.getB(), c,
      /*front=*/Value(), product.getTransposeB());
  inFlight.push_back({pending, product.getResult(), {}});
}

/// Waits for the `count` oldest products, in front of `before`.
void BlockRewriter::finish(size_t count, Operation *before) {
  for (size_t i = 0; i < count; ++i) {
    b.setInsertionPoint(before);
    InFlight done = inFlight.front();
    inFlight.erase(inFlight.begin());
    SmallVector<Value> kept;
    for (InFlight &other : inFlight)
      kept.push_back(other.pending);
    auto wait =
        wg::WaitMmaOp::create(b, done.result.getLoc(), done.pending, kept);
    for (auto [other, still] : llvm::zip(inFlight, wait.getStill()))
      other.pending = still;
    done.result.replaceAllUsesWith(wait.getResult());
    done.result.getDefiningOp()->erase();
    for (wg::ReleaseOp release : done.releases)
      release->moveBefore(before);
  }
}

/// Whether `op` makes the registers of a product's left operand. Those of a
/// product in flight may not be written, and ptxas looks at all of them alike:
/// it waits for every product itself otherwise (C7513).
static bool makesOperand(Operation *op) {
  if (isa<wg::RelayoutOp>(op))
    return true;
  return isa<wg::MapOp>(op) &&
         llvm::any_of(op->getUsers(), [](Operation *user) {
           return isa<wg::RelayoutOp>(user);
         });
}

/// How many of the oldest products have to be waited for before `op`.
size_t BlockRewriter::neededBy(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || makesOperand(op))
    return inFlight.size();
  // Nothing is known about products inside: a wait there would cover these.
  WalkResult products = op->walk([&](wg::MmaOp inner) {
    return inner != op ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (products.wasInterrupted())
    return inFlight.size();
  for (size_t i = inFlight.size(); i-- > 0;)
    for (Operation *user : inFlight[i].result.getUsers())
      if (op->isAncestor(user))
        return i + 1;
  return 0;
}

/// The shared tile that `value` is, or is a band of.
static Value wholeTile(Value value) {
  while (auto band = value.getDefiningOp<wg::BandOp>())
    value = band.getTile();
  return value;
}

/// The newest product that reads the slot of `release`.
InFlight *BlockRewriter::readerOf(wg::ReleaseOp release) {
  for (InFlight &product : llvm::reverse(inFlight)) {
    auto mma = cast<wg::MmaOp>(product.result.getDefiningOp());
    for (Value operand : {mma.getA(), Value(mma.getB())}) {
      auto slot = wholeTile(operand).getDefiningOp<wg::AcquireOp>();
      if (slot && slot.getRing() == release.getRing() &&
          slot.getCursor() == release.getCursor())
        return &product;
    }
  }
  return nullptr;
}

void BlockRewriter::run() {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    finish(neededBy(&op), &op);
    if (auto product = dyn_cast<wg::MmaOp>(op))
      start(product);
    auto release = dyn_cast<wg::ReleaseOp>(op);
    if (InFlight *reader = release ? readerOf(release) : nullptr)
      reader->releases.push_back(release);
  }
}

namespace {
struct AsyncPass : mlir::fa::impl::WgAsyncBase<AsyncPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"specialized"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module))
      for (wg::RoleOp role : findOps<wg::RoleOp>(kernel)) {
        llvm::SetVector<Block *> blocks;
        role.walk(
            [&](wg::MmaOp product) { blocks.insert(product->getBlock()); });
        for (Block *block : blocks)
          BlockRewriter(*block).run();
      }
    setStage(module, "async");
  }
};
} // namespace
