// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention among other code: every op becomes a call of a function that
// launches its kernel.
#include "lowering/Embed/CompilingPass.h"
#include "lowering/Embed/HostCode.h"
#include "lowering/Embed/Passes.h"
#include "lowering/Embed/Problem.h"
#include "lowering/Ptx/EmitPtx.h"
#include "lowering/Ptx/Passes.h"
#include "passes/ManifestBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEMBED
#include "lowering/Embed/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// The call in the place of an op
//===----------------------------------------------------------------------===//

namespace {
/// Replaces one op by a call of its function.
class CallBuilder {
public:
  CallBuilder(AttentionOp op, const Problem &problem)
      : op(op), problem(problem), b(op), loc(op.getLoc()) {}

  LogicalResult run(func::FuncOp function, func::FuncOp entry);

private:
  Value scale();
  FailureOr<Value> argument(StringRef name, Type type);
  Value destination(Value init, StringRef name, MemRefType type);

  AttentionOp op;
  const Problem &problem;
  OpBuilder b;
  Location loc;
  llvm::StringMap<Value> destinations;
};
} // namespace

Value CallBuilder::scale() {
  if (Value given = op.getScaleValue())
    return given;
  return arith::ConstantOp::create(b, loc,
                                   b.getF32FloatAttr(op.getScaleOrDefault()));
}

/// A new buffer for a tensor result, with the contents of `init` where the op
/// may leave some of them. It is not `init`'s own, so that merging equal inits
/// cannot join two results.
Value CallBuilder::destination(Value init, StringRef name, MemRefType type) {
  auto shaped = cast<RankedTensorType>(init.getType());
  SmallVector<Value> sizes;
  if (!op.isPacked())
    for (auto [i, extent] : llvm::enumerate(shaped.getShape()))
      if (ShapedType::isDynamic(extent))
        sizes.push_back(tensor::DimOp::create(b, loc, init, i));
  Value made = bufferization::AllocTensorOp::create(
      b, loc, shaped, sizes, op.isPacked() ? init : Value());
  Value buffer = bufferization::ToBufferOp::create(b, loc, type, made);
  destinations[name] = buffer;
  return buffer;
}

FailureOr<Value> CallBuilder::argument(StringRef name, Type type) {
  Value value = name == "scale" ? scale() : problem.values.lookup(name);
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex())
    return Value(arith::IndexCastOp::create(b, loc, type, value));
  auto buffer = cast<MemRefType>(type);
  if (isa<RankedTensorType>(value.getType())) {
    if (llvm::is_contained(op.getOuts(), value) &&
        (name == "o" || name == "lse"))
      return destination(value, name, buffer);
    return Value(bufferization::ToBufferOp::create(b, loc, buffer, value,
                                                   /*readOnly=*/true));
  }
  if (memref::CastOp::areCastCompatible(value.getType(), type))
    return Value(memref::CastOp::create(b, loc, type, value));
  return op.emitOpError() << "expects " << name << " to be a memref that "
                          << type << " can stand for, got " << value.getType();
}

LogicalResult CallBuilder::run(func::FuncOp function, func::FuncOp entry) {
  SmallVector<Value> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    FailureOr<Value> value = argument(argumentName(entry, i), type);
    if (failed(value))
      return failure();
    arguments.push_back(*value);
  }
  func::CallOp::create(b, loc, function, arguments);
  const StringRef names[] = {"o", "lse"};
  for (auto [result, name] : llvm::zip(op.getResults(), names))
    result.replaceAllUsesWith(bufferization::ToTensorOp::create(
        b, loc, cast<RankedTensorType>(result.getType()),
        destinations.lookup(name), /*restrict=*/true, /*writable=*/true));
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The functions that are called
//===----------------------------------------------------------------------===//

namespace {
/// Embeds the ops of one module.
class Embedder {
public:
  Embedder(ModuleOp module, const CompileOptions &options, bool viaRuntime)
      : module(module), options(options), viaRuntime(viaRuntime) {}

  LogicalResult embed(AttentionOp op);

private:
  FailureOr<func::FuncOp> functionFor(ModuleOp problem);
  LogicalResult fill(func::FuncOp function, ModuleOp problem);
  FailureOr<gpu::BinaryOp> makeBinary(ModuleOp problem, StringRef name);
  std::string freshName();

  ModuleOp module;
  const CompileOptions &options;
  bool viaRuntime;
  unsigned count = 0;
  /// The entry at stage `buffers` of the problem at hand.
  OwningOpRef<func::FuncOp> entry;
  llvm::StringMap<func::FuncOp> functions;
};
} // namespace

static DictionaryAttr manifestOf(ModuleOp problem) {
  return problem->getAttrOfType<DictionaryAttr>(kManifestAttr);
}

LogicalResult Embedder::embed(AttentionOp op) {
  if (!op->getParentOfType<FunctionOpInterface>() ||
      op->getParentOfType<ModuleOp>() != module)
    return op.emitOpError() << "expects to stand in a function of the module "
                               "that fa-embed runs on";
  auto b = OpBuilder::atBlockEnd(module.getBody());
  Problem problem = liftProblem(op, b);
  FailureOr<func::FuncOp> function = functionFor(problem.module);
  problem.module.erase();
  if (failed(function))
    return failure();
  return CallBuilder(op, problem).run(*function, *entry);
}

/// The function that launches a problem: that of an equal one (they are
/// compared at stage `buffers`), or a new one.
FailureOr<func::FuncOp> Embedder::functionFor(ModuleOp problem) {
  if (failed(compileToStage(problem, options, "buffers")))
    return failure();
  entry = entryOf(problem).clone();
  std::string text;
  llvm::raw_string_ostream(text) << problem;
  func::FuncOp &known = functions[text];
  if (known)
    return known;
  OpBuilder b(problem);
  auto function = func::FuncOp::create(b, problem.getLoc(), freshName(),
                                       entry->getFunctionType());
  function.setPrivate();
  if (failed(fill(function, problem)))
    return failure();
  known = function;
  return function;
}

/// Compiles the problem and fills the function, whose arguments are the
/// artefact's tensors and scalars.
LogicalResult Embedder::fill(func::FuncOp function, ModuleOp problem) {
  if (viaRuntime) {
    FailureOr<std::string> bytes = compileToArtifact(problem, options);
    if (failed(bytes))
      return failure();
    buildRuntimeCall(module, function, *entry, manifestOf(problem), *bytes);
    return success();
  }
  if (failed(compileToStage(problem, options, "nvvm")))
    return failure();
  FailureOr<gpu::BinaryOp> binary =
      makeBinary(problem, (function.getSymName() + "_kernels").str());
  if (failed(binary))
    return failure();
  return buildLaunch(function, *entry, manifestOf(problem), *binary);
}

/// The problem's kernels as PTX in a gpu.binary of the host's module.
FailureOr<gpu::BinaryOp> Embedder::makeBinary(ModuleOp problem,
                                              StringRef name) {
  auto kernels = *problem.getOps<gpu::GPUModuleOp>().begin();
  FailureOr<PtxText> ptx = emitPtx(kernels);
  if (failed(ptx))
    return failure();
  OpBuilder b(problem);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  return createPtxBinary(b, kernels.getLoc(), name, *ptx);
}

std::string Embedder::freshName() {
  std::string name;
  do
    name = "fa_attention_" + std::to_string(count++);
  while (module.lookupSymbol(name) || module.lookupSymbol(name + "_kernels") ||
         module.lookupSymbol(name + "_artifact"));
  return name;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct EmbedPass : CompilingPass<fa::impl::FaEmbedBase<EmbedPass>> {
  using CompilingPass::CompilingPass;

  void getDependentDialects(DialectRegistry &registry) const override {
    CompilingPass::getDependentDialects(registry);
    registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                    cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                    LLVM::LLVMDialect, memref::MemRefDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    CompileOptions options = readOptionsToRun();
    if (failed(checkHost(options.chip)))
      return signalPassFailure();
    Embedder embedder(module, options, host == "runtime");
    SmallVector<AttentionOp> ops;
    module.walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops)
      if (failed(embedder.embed(op)))
        return signalPassFailure();
  }

  LogicalResult checkHost(StringRef chip) {
    if (host != "runtime" && host != "launch_func")
      return getOperation().emitError()
             << "expects host runtime or launch_func, got '" << host << "'";
    if (host == "launch_func" && chip == "cpu")
      return getOperation().emitError()
             << "expects a GPU with host=launch_func, got chip cpu";
    return success();
  }
};
} // namespace
