// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// masked -> outlined: the kernel boundary. What the host knows (sizes, strides)
// becomes the kernel's flat arguments; what the host does becomes data.
#include "dialect/Fa/FaDialect.h"
#include "dialect/Target/ScheduleTable.h"
#include "passes/EntryRoles.h"
#include "passes/KernelArguments.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAOUTLINE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Turns the entry function around one parallel loop into a kernel.
class Outliner {
public:
  Outliner(func::FuncOp entry, scf::ForallOp loop, StringRef chip,
           std::string name)
      : entry(entry), loop(loop), chip(chip), name(std::move(name)), b(entry),
        manifest(entry.getContext()) {}

  /// The kernel's entry in the manifest; the entry function is gone after it.
  FailureOr<Attribute> run();

private:
  bool isGpu() const { return chip != "cpu"; }
  int32_t blockSize();
  FailureOr<Attribute> describeGrid();
  Attribute describeCondition();
  gpu::GPUModuleOp kernelModule();
  Attribute classOf(ParamAttr param);
  FunctionOpInterface createKernel();
  void fillKernel(FunctionOpInterface kernel);
  Value tileNumber();
  SmallVector<Value> findIteration(Value tile, ArrayRef<OpFoldResult> bounds);

  func::FuncOp entry;
  scf::ForallOp loop;
  StringRef chip;
  /// The kernel's symbol.
  std::string name;
  OpBuilder b;
  ManifestBuilder manifest;
  KernelArguments arguments;
  Block *body = nullptr;
};
} // namespace

/// Threads of a block: the schedule's warps.
int32_t Outliner::blockSize() {
  auto schedule = loop->getAttrOfType<ScheduleAttr>(kScheduleAttr);
  return 32 * (schedule ? schedule.getWarps() : 4);
}

/// The number of iterations, as an expression over the tensors' sizes.
FailureOr<Attribute> Outliner::describeGrid() {
  Attribute grid;
  for (OpFoldResult bound : loop.getMixedUpperBound()) {
    FailureOr<Attribute> extent;
    if (std::optional<int64_t> constant = getConstantIntValue(bound))
      extent = manifest.number(*constant);
    else
      extent = manifest.translate(cast<Value>(bound), entry);
    if (failed(extent))
      return failure();
    grid = grid ? Attribute(manifest.expr("mul", {grid, *extent})) : *extent;
  }
  return grid ? grid : manifest.number(1);
}

/// When a launch may take the kernel: always, or up to some number of keys.
Attribute Outliner::describeCondition() {
  auto most = entry->getAttrOfType<IntegerAttr>(kMostKeysAttr);
  if (!most)
    return b.getBoolAttr(true);
  for (BlockArgument argument : entry.getArguments()) {
    auto tensor = entry.getArgAttrOfType<TensorAttr>(argument.getArgNumber(),
                                                     kTensorAttr);
    if (!tensor)
      continue;
    for (auto [i, dim] : llvm::enumerate(tensor.getDims()))
      if (dim == b.getStringAttr("Sk"))
        return manifest.expr("le", {manifest.size(tensor.getName(), i), most});
  }
  return b.getBoolAttr(true);
}

/// The module of GPU kernels, one for all versions of an entry.
gpu::GPUModuleOp Outliner::kernelModule() {
  auto name = entry->getAttrOfType<StringAttr>(kEntryAttr);
  std::string wanted =
      ((name ? name.getValue() : entry.getSymName()) + "_module").str();
  auto parent = entry->getParentOfType<ModuleOp>();
  if (auto found = parent.lookupSymbol<gpu::GPUModuleOp>(wanted))
    return found;
  auto made = gpu::GPUModuleOp::create(b, entry.getLoc(), wanted);
  made->setAttr(kTargetAttr, b.getStringAttr(chip));
  return made;
}

/// What the launch holds the scalar `param` to, null where it is nothing.
Attribute Outliner::classOf(ParamAttr param) {
  if (param.getKind() != ParamKind::Scalar)
    return {};
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (entry.getArgAttr(i, kNameAttr) == b.getStringAttr(param.getName()))
      return entry.getArgAttr(i, kClassAttr);
  return {};
}

FunctionOpInterface Outliner::createKernel() {
  Location loc = entry.getLoc();
  SmallVector<Type> inputs(arguments.getTypes());
  if (!isGpu())
    inputs.push_back(b.getIndexType());
  auto type = b.getFunctionType(inputs, {});
  FunctionOpInterface kernel;
  if (isGpu()) {
    OpBuilder inner = OpBuilder::atBlockEnd(kernelModule().getBody());
    auto func = gpu::GPUFuncOp::create(inner, loc, name, type);
    func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    int32_t threads = blockSize();
    func.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({threads, 1, 1}));
    kernel = func;
  } else {
    auto func = func::FuncOp::create(b, loc, name, type);
    func.addEntryBlock();
    kernel = func;
  }
  kernel->setAttr(kKernelAttr, b.getUnitAttr());
  if (Attribute schedule = loop->getAttr(kScheduleAttr))
    kernel->setAttr(kScheduleAttr, schedule);
  if (entry->hasAttr(kTmaAttr))
    kernel->setAttr(kTmaAttr, b.getUnitAttr());
  if (entry->hasAttr(kWideAttr))
    kernel->setAttr(kWideAttr, b.getUnitAttr());
  for (auto [i, param] : llvm::enumerate(arguments.getParams())) {
    kernel.setArgAttr(i, kParamAttr, param);
    if (Attribute values = classOf(cast<ParamAttr>(param)))
      kernel.setArgAttr(i, kClassAttr, values);
  }
  body = &kernel.getFunctionBody().front();
  return kernel;
}

Value Outliner::tileNumber() {
  if (isGpu())
    return gpu::BlockIdOp::create(b, loop.getLoc(), gpu::Dimension::x);
  return body->getArguments().back();
}

/// The iteration that is number `tile` where the last induction variable runs
/// fastest. The number is below the product of the bounds, so none of them is
/// 0.
SmallVector<Value> Outliner::findIteration(Value tile,
                                           ArrayRef<OpFoldResult> bounds) {
  Location loc = loop.getLoc();
  SmallVector<Value> position(bounds.size());
  for (unsigned i = bounds.size(); i-- > 1;) {
    Value bound = getValueOrCreateConstantIndexOp(b, loc, bounds[i]);
    position[i] = arith::RemUIOp::create(b, loc, tile, bound);
    tile = arith::DivUIOp::create(b, loc, tile, bound);
  }
  position[0] = tile;
  return position;
}

/// The kernel computes what stood before the loop again, finds its iteration
/// from the tile's number (the last induction variable runs fastest), and does
/// that iteration.
void Outliner::fillKernel(FunctionOpInterface kernel) {
  b.setInsertionPointToEnd(body);
  IRMapping mapping;
  arguments.rebuild(b, entry, body->getArguments(), mapping);
  for (Operation &op : *loop->getBlock()) {
    if (&op == loop.getOperation())
      break;
    b.clone(op, mapping);
  }
  SmallVector<OpFoldResult> bounds;
  for (OpFoldResult bound : loop.getMixedUpperBound())
    bounds.push_back(isa<Attribute>(bound)
                         ? bound
                         : mapping.lookupOrDefault(cast<Value>(bound)));
  Value tile = tileNumber();
  mapping.map(loop.getInductionVars(), findIteration(tile, bounds));
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, mapping);
  if (isGpu())
    gpu::ReturnOp::create(b, loop.getLoc());
  else
    func::ReturnOp::create(b, loop.getLoc());
}

FailureOr<Attribute> Outliner::run() {
  if (!loop.isNormalized() || loop.getNumResults() != 0)
    return loop.emitOpError()
           << "expects lower bounds of 0, steps of 1 and no results";
  if (!entry.getBody().hasOneBlock() ||
      &*std::next(loop->getIterator()) != loop->getBlock()->getTerminator())
    return loop.emitOpError()
           << "expects the parallel loop to be the last op of a function of "
              "one block";
  if (failed(arguments.describe(entry)))
    return failure();
  FailureOr<Attribute> grid = describeGrid();
  if (failed(grid))
    return failure();
  FunctionOpInterface kernel = createKernel();
  fillKernel(kernel);
  Attribute description = manifest.kernel(
      name, /*note=*/"", describeCondition(), arguments.getParams(),
      arguments.getTypes(), *grid, isGpu() ? blockSize() : 1);
  entry.erase();
  return description;
}

/// The parallel loops that become kernels: one at the top of each function that
/// has any.
static FailureOr<SmallVector<scf::ForallOp>> findLoops(ModuleOp module) {
  SmallVector<scf::ForallOp> loops;
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    auto inside = llvm::to_vector(func.getOps<scf::ForallOp>());
    if (inside.size() > 1)
      return func.emitError()
             << "expects one scf.forall at the top of a function, found "
             << inside.size();
    llvm::append_range(loops, inside);
  }
  if (loops.empty())
    return module.emitError()
           << "expects one scf.forall at the top of a function, found 0";
  return loops;
}

namespace {
struct OutlinePass : mlir::fa::impl::FaOutlineBase<OutlinePass> {
  using FaOutlineBase::FaOutlineBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"online", "masked", "reference"})))
      return signalPassFailure();
    if (!::fa::target::knowsChip(chip)) {
      module.emitError() << "expects a chip that is known ("
                         << ::fa::target::knownChips() << "), got '" << chip
                         << "'";
      return signalPassFailure();
    }
    if (failed(outline(module)))
      return signalPassFailure();
    setStage(module, "outlined");
  }

  /// A kernel's symbol has a prefix, so that no name is one that a linker, a C
  /// library or PTX has a use for (`_init`, `memcpy`, `add`, `WARP_SZ`). The
  /// kernels of a reference are found by their names.
  FailureOr<std::string> kernelName(func::FuncOp entry) {
    if (!isIdentifier(entry.getSymName()))
      return entry.emitError() << "expects " << kIdentifierRule << ", got '"
                               << entry.getSymName() << "'";
    StringRef prefix = getStage(getOperation()) == "reference" ? "" : "fa_";
    return (prefix + entry.getSymName()).str();
  }

  /// The functions are ways to compute one problem, so one manifest, made from
  /// the first, names them all.
  LogicalResult outline(ModuleOp module) {
    FailureOr<SmallVector<scf::ForallOp>> loops = findLoops(module);
    if (failed(loops))
      return failure();
    auto first = cast<func::FuncOp>(loops->front()->getParentOp());
    OwningOpRef<func::FuncOp> problem(first.clone());
    SmallVector<Attribute> kernels;
    for (scf::ForallOp loop : *loops) {
      auto entry = cast<func::FuncOp>(loop->getParentOp());
      FailureOr<std::string> name = kernelName(entry);
      if (failed(name))
        return failure();
      FailureOr<Attribute> kernel = Outliner(entry, loop, chip, *name).run();
      if (failed(kernel))
        return failure();
      kernels.push_back(*kernel);
    }
    ManifestBuilder manifest(&getContext());
    module->setAttr(kManifestAttr, manifest.manifest(*problem, kernels));
    return success();
  }
};
} // namespace
