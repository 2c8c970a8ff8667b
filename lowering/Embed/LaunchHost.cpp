// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// host=launch_func: gpu.launch_func of the first kernel that fits.
#include "lowering/Embed/DriverCode.h"
#include "lowering/Embed/HostCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fa;

static StringRef nameOf(DictionaryAttr entry) {
  return entry.getAs<StringAttr>("name").getValue();
}

namespace {
/// Launches one kernel.
class Launcher {
public:
  Launcher(HostBuilder &host, DictionaryAttr kernel, gpu::BinaryOp binary)
      : host(host), b(host.b), loc(host.loc), driver(host), kernel(kernel),
        binary(binary) {}

  void run();

private:
  void runTiles(Value tiles);
  void allocateScratch();
  void freeScratch();
  Value parameter(ArrayAttr param);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  int64_t integer(StringRef field) {
    return kernel.getAs<IntegerAttr>(field).getInt();
  }

  HostBuilder &host;
  OpBuilder &b;
  Location loc;
  DriverCalls driver;
  DictionaryAttr kernel;
  gpu::BinaryOp binary;
  llvm::StringMap<Value> scratch;
};
} // namespace

static Type tokenType(OpBuilder &b) {
  return gpu::AsyncTokenType::get(b.getContext());
}

/// Scratch memory lives for one launch, and is filled before it, by words.
void Launcher::allocateScratch() {
  for (Attribute attr : kernel.getAs<ArrayAttr>("scratch")) {
    auto spec = cast<DictionaryAttr>(attr);
    Builder attrs(b.getContext());
    Attribute bytes = spec.get("bytes");
    Attribute words = attrs.getArrayAttr(
        {attrs.getStringAttr("ceildiv"), bytes, attrs.getI64IntegerAttr(4)});
    Value size = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                            host.evaluate(words));
    Value start =
        gpu::WaitOp::create(b, loc, tokenType(b), ValueRange()).getAsyncToken();
    auto type = MemRefType::get(ShapedType::kDynamic, b.getI32Type());
    auto memory =
        gpu::AllocOp::create(b, loc, type, tokenType(b), ValueRange(start),
                             ValueRange(size), ValueRange());
    int64_t byte = spec.getAs<IntegerAttr>("init").getInt();
    Value init = arith::ConstantIntOp::create(b, loc, byte * 0x01010101, 32);
    auto filled = gpu::MemsetOp::create(b, loc, tokenType(b),
                                        ValueRange(memory.getAsyncToken()),
                                        memory.getMemref(), init);
    gpu::WaitOp::create(b, loc, Type(), ValueRange(filled.getAsyncToken()));
    scratch[nameOf(spec)] = memory.getMemref();
  }
}

void Launcher::freeScratch() {
  for (auto &entry : scratch) {
    Value start =
        gpu::WaitOp::create(b, loc, tokenType(b), ValueRange()).getAsyncToken();
    auto freed = gpu::DeallocOp::create(b, loc, tokenType(b), ValueRange(start),
                                        entry.second);
    gpu::WaitOp::create(b, loc, Type(), ValueRange(freed.getAsyncToken()));
  }
}

Value Launcher::parameter(ArrayAttr param) {
  StringRef kind = cast<StringAttr>(param[0]).getValue();
  if (kind == "expr")
    return host.evaluate(param[1]);
  if (kind == "tensor_map")
    return driver.tensorMap(param);
  StringRef name = cast<StringAttr>(param[1]).getValue();
  if (kind == "scalar")
    return host.scalar(name);
  if (kind == "scratch")
    return host.widen(memref::ExtractAlignedPointerAsIndexOp::create(
        b, loc, scratch.lookup(name)));
  if (kind == "pointer")
    return host.tensor(name).address;
  return host.evaluate(param); // a size or a stride
}

void Launcher::run() {
  bool asks = DriverCalls::neededBy(kernel);
  if (asks) {
    driver.enter();
    host.units = driver.units();
  }
  runTiles(host.evaluate(kernel.get("grid")));
  if (asks)
    driver.leave();
  host.units = Value(); // the next launch stands in another region
}

/// Launches where there is a tile at all.
void Launcher::runTiles(Value tiles) {
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, tiles,
                                     host.number(0));
  auto ifSome = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifSome.thenBlock());
  allocateScratch();
  SmallVector<Value> parameters;
  for (Attribute param : kernel.getAs<ArrayAttr>("params"))
    parameters.push_back(parameter(cast<ArrayAttr>(param)));
  Value grid = arith::IndexCastOp::create(b, loc, b.getIndexType(), tiles);
  Value one = index(1), block = index(integer("block"));
  Value shared =
      arith::ConstantIntOp::create(b, loc, integer("shared_bytes"), 32);
  auto symbol = SymbolRefAttr::get(
      binary.getSymNameAttr(),
      {FlatSymbolRefAttr::get(b.getContext(), nameOf(kernel))});
  gpu::LaunchFuncOp::create(b, loc, symbol, gpu::KernelDim3{grid, one, one},
                            gpu::KernelDim3{block, one, one}, shared,
                            parameters);
  freeScratch();
}

static void require(HostBuilder &host, Value condition, StringRef text) {
  cf::AssertOp::create(host.b, host.loc, condition, text);
}

/// The first kernel whose predicate holds, of those from `first` on.
static void choose(HostBuilder &host, ArrayAttr kernels, unsigned first,
                   gpu::BinaryOp binary) {
  OpBuilder &b = host.b;
  if (first == kernels.size()) {
    Value never = arith::ConstantIntOp::create(b, host.loc, 0, 1);
    return require(host, never, "fa.attention: no kernel fits these tensors");
  }
  auto kernel = cast<DictionaryAttr>(kernels[first]);
  auto always = dyn_cast<BoolAttr>(kernel.get("when"));
  if (always && always.getValue())
    return Launcher(host, kernel, binary).run();
  Value fits = host.evaluate(kernel.get("when"));
  auto branch = scf::IfOp::create(b, host.loc, fits, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Launcher(host, kernel, binary).run();
  b.setInsertionPointToStart(branch.elseBlock());
  choose(host, kernels, first + 1, binary);
}

/// A launch predicate is evaluated before it is known whether a driver is
/// needed at all.
static LogicalResult checkPredicates(func::FuncOp function, ArrayAttr kernels) {
  for (auto kernel : kernels.getAsRange<DictionaryAttr>())
    if (Attribute when = kernel.get("when"); DriverCalls::areUnitsIn(when))
      return function.emitError()
             << "expects, for host=launch_func, launch predicates without "
                "[\"units\"], got "
             << when << " of kernel " << nameOf(kernel);
  return success();
}

LogicalResult mlir::fa::buildLaunch(func::FuncOp function, func::FuncOp entry,
                                    DictionaryAttr manifest,
                                    gpu::BinaryOp binary) {
  auto kernels = manifest.getAs<ArrayAttr>("kernels");
  if (failed(checkPredicates(function, kernels)))
    return failure();
  if (llvm::any_of(kernels.getAsRange<DictionaryAttr>(),
                   DriverCalls::neededBy) &&
      failed(addDriverCode(function->getParentOfType<ModuleOp>())))
    return failure();
  HostBuilder host(function, entry);
  for (Attribute attr : manifest.getAs<ArrayAttr>("constraints")) {
    auto constraint = cast<DictionaryAttr>(attr);
    StringRef text = constraint.getAs<StringAttr>("text").getValue();
    require(host, host.evaluate(constraint.get("expr")),
            ("fa.attention: " + text).str());
  }
  choose(host, kernels, 0, binary);
  func::ReturnOp::create(host.b, host.loc);
  return success();
}
