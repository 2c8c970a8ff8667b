// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pipelined -> addressed: every tile and ring gets its place in the block's
// shared memory. Those that are never needed at once may share it.
#include "dialect/Target/GpuTarget.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGPLANSHARED
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

namespace {
/// The places of a kernel's ops in program order.
class ProgramOrder {
public:
  explicit ProgramOrder(gpu::GPUFuncOp kernel) : kernel(kernel) {
    number(kernel.getBody());
  }

  int64_t placeOf(Operation *op) const { return places.lookup(op); }
  int64_t last() const { return next; }

  /// The first op behind `op` for which `found` holds and that runs whenever
  /// `op` does, null where there is none. `op` stands in no loop.
  Operation *firstBehind(Operation *op,
                         function_ref<bool(Operation *)> found) const {
    for (; op != kernel; op = op->getParentOp())
      for (Operation *later = op->getNextNode(); later;
           later = later->getNextNode())
        if (found(later))
          return later;
    return nullptr;
  }

private:
  void number(Region &region) {
    for (Operation &op : region.getOps()) {
      places[&op] = next++;
      for (Region &inner : op.getRegions())
        number(inner);
    }
  }

  gpu::GPUFuncOp kernel;
  DenseMap<Operation *, int64_t> places;
  int64_t next = 0;
};

/// A tile or ring: when it is needed, how large it is, where it stands.
struct Storage {
  wg::AllocOp alloc;
  int64_t bytes, alignment;
  int64_t firstUse, lastUse;
  int64_t offset = 0;

  bool meets(const Storage &other) const {
    return firstUse <= other.lastUse && other.firstUse <= lastUse;
  }
  int64_t end() const { return offset + bytes; }
};
} // namespace

/// All ops that touch `storage`, through whatever names its tiles have; nothing
/// where a branch or a loop passes it on, or a role of warps has it, and the
/// order in the text says nothing.
static std::optional<SmallVector<Operation *>> findUsers(Value storage) {
  SmallVector<Operation *> users;
  SmallVector<Value> names{storage};
  while (!names.empty())
    for (Operation *user : names.pop_back_val().getUsers()) {
      if (!isa<wg::WgDialect>(user->getDialect()) || isa<wg::YieldOp>(user) ||
          user->getParentOfType<wg::RoleOp>())
        return std::nullopt;
      users.push_back(user);
      for (Value result : user->getResults())
        if (isa<wg::SmemType, wg::RingType>(result.getType()))
          names.push_back(result);
    }
  return users;
}

/// An op in a loop counts as the whole loop.
static Operation *wholeOf(Operation *op) {
  Operation *loop = outermostLoop(op);
  return loop ? loop : op;
}

/// The place where no thread touches what `user` touches any more: copies in
/// flight are waited for first, and then all threads have to meet.
static int64_t findEnd(Operation *user, const ProgramOrder &order) {
  Operation *last = wholeOf(user);
  if (isa<wg::CopyAsyncOp>(user))
    last = order.firstBehind(last, [](Operation *op) {
      auto wait = dyn_cast<wg::WaitCopiesOp>(op);
      return wait && wait.getNewer() == 0;
    });
  if (last)
    last = order.firstBehind(
        last, [](Operation *op) { return isa<wg::BarrierOp>(op); });
  return last ? order.placeOf(last) : order.last();
}

static Storage describe(wg::AllocOp alloc, const ProgramOrder &order) {
  auto ring = dyn_cast<wg::RingType>(alloc.getType());
  auto tile = ring ? ring.getTile() : cast<wg::SmemType>(alloc.getType());
  int64_t bytes = tile.getLayout().byteSize() * (ring ? ring.getStages() : 1);
  Storage storage{alloc, bytes, tile.getLayout().alignment(),
                  /*firstUse=*/0, /*lastUse=*/order.last()};
  std::optional<SmallVector<Operation *>> users = findUsers(alloc.getResult());
  if (!users)
    return storage;
  std::swap(storage.firstUse, storage.lastUse);
  for (Operation *user : *users) {
    storage.firstUse = std::min(storage.firstUse, order.placeOf(wholeOf(user)));
    storage.lastUse = std::max(storage.lastUse, findEnd(user, order));
  }
  return storage;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The lowest place for `storage` beside those that have theirs.
static int64_t findPlace(const Storage &storage, ArrayRef<Storage> placed) {
  SmallVector<const Storage *> others;
  for (const Storage &other : placed)
    if (storage.meets(other))
      others.push_back(&other);
  llvm::sort(others, [](const Storage *a, const Storage *b) {
    return a->offset < b->offset;
  });
  int64_t offset = 0;
  for (const Storage *other : others) {
    if (offset + storage.bytes <= other->offset)
      break;
    offset = std::max<int64_t>(offset,
                               llvm::alignTo(other->end(), storage.alignment));
  }
  return offset;
}

/// An mbarrier; each stage of a ring with consumers has two, full and empty.
static constexpr int64_t kBarrierBytes = 8;

/// First fit, the largest first. Gives the bytes that all take together.
static int64_t planKernel(gpu::GPUFuncOp kernel) {
  ProgramOrder order(kernel);
  SmallVector<Storage> all, placed;
  for (auto alloc : findOps<wg::AllocOp>(kernel))
    all.push_back(describe(alloc, order));
  llvm::sort(all, [&](const Storage &a, const Storage &b) {
    return std::make_pair(-a.bytes, order.placeOf(a.alloc)) <
           std::make_pair(-b.bytes, order.placeOf(b.alloc));
  });
  int64_t total = 0;
  for (Storage &storage : all) {
    storage.offset = findPlace(storage, placed);
    storage.alloc.setOffset(storage.offset);
    total = std::max(total, storage.end());
    placed.push_back(storage);
  }
  // The barriers of rings keep their places for the whole kernel.
  for (Storage &storage : all) {
    auto ring = dyn_cast<wg::RingType>(storage.alloc.getType());
    if (!ring || !ring.getConsumers())
      continue;
    total = llvm::alignTo(total, kBarrierBytes);
    storage.alloc.setBarrierOffset(total);
    total += ring.getStages() * 2 * kBarrierBytes;
  }
  return total;
}

/// Whether the chip that the kernel is for has that much; kernels for no chip
/// in particular are taken as they are.
static LogicalResult checkChip(gpu::GPUFuncOp kernel, int64_t bytes) {
  auto chip = kernel->getParentOp()->getAttrOfType<StringAttr>(kTargetAttr);
  if (!chip)
    return success();
  const ::fa::target::GpuTarget *target =
      ::fa::target::findGpuTarget(chip.getValue());
  if (!target)
    return kernel.emitOpError()
           << "expects a gpu.module for one of "
           << ::fa::target::knownGpuTargets() << ", got " << chip;
  if (bytes > target->sharedBytesPerBlock)
    return kernel.emitOpError()
           << "needs " << bytes << " bytes of shared memory, " << target->chip
           << " has " << target->sharedBytesPerBlock
           << " for a block: smaller tiles or fewer stages may fit";
  return success();
}

namespace {
struct PlanSharedPass : mlir::fa::impl::WgPlanSharedBase<PlanSharedPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"pipelined", "specialized", "async"})))
      return signalPassFailure();
    FailureOr<SmallVector<gpu::GPUFuncOp>> kernels = expectKernels(module);
    if (failed(kernels))
      return signalPassFailure();
    Builder b(module.getContext());
    for (gpu::GPUFuncOp kernel : *kernels) {
      int64_t bytes = planKernel(kernel);
      if (failed(checkChip(kernel, bytes)))
        return signalPassFailure();
      IntegerAttr attr = b.getI64IntegerAttr(bytes);
      kernel->setAttr(wg::kSharedBytesAttr, attr);
      replaceKernelEntry(module, kernel.getName(), [&](NamedAttrList fields) {
        fields.set("shared_bytes", attr);
        return KernelEntries{fields};
      });
    }
    setStage(module, "addressed");
  }
};
} // namespace
