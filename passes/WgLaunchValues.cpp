// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// specialized: divisions of what a launch knows are the host's work. Each
// becomes an argument, whose value the manifest tells as an expression: read
// where it is used, it takes no register of the roles.
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgSlices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

namespace mlir::fa {
#define GEN_PASS_DEF_WGLAUNCHVALUES
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// A value that is used often, by what is used often, makes long expressions.
static constexpr int64_t kMostParts = 64;

static constexpr int64_t kNoBound = std::numeric_limits<int64_t>::min();

namespace {
/// What the host would compute for a value.
struct HostValue {
  Attribute expr;
  bool divides = false;
  /// The least that it can be, whatever the sizes are.
  int64_t least = kNoBound;
  int64_t parts = 1;
};

/// Finds and replaces one kernel's launch values.
class LaunchValues {
public:
  explicit LaunchValues(gpu::GPUFuncOp kernel)
      : kernel(kernel), manifest(kernel.getContext()) {}

  /// Whether there are any.
  bool run();

private:
  HostValue find(Value value);
  HostValue findArgument(BlockArgument argument);
  HostValue findOp(Operation *op);
  HostValue findAffine(AffineExpr expr, ValueRange operands, unsigned dims);
  HostValue join(StringRef op, HostValue x, HostValue y);
  Value argumentFor(Attribute expr);
  bool replaceParts(affine::AffineApplyOp apply);

  gpu::GPUFuncOp kernel;
  ManifestBuilder manifest;
  DenseMap<Value, HostValue> known;
};
} // namespace

/// A division by 0 would refuse the launch, also where nobody asks for it.
HostValue LaunchValues::join(StringRef op, HostValue x, HostValue y) {
  if (!x.expr || !y.expr || x.parts + y.parts > kMostParts)
    return {};
  bool division = op == "floordiv" || op == "ceildiv" || op == "mod";
  HostValue made{{},
                 x.divides || y.divides || division,
                 x.least >= 0 && y.least >= 0 ? 0 : kNoBound,
                 1 + x.parts + y.parts};
  auto constant = dyn_cast<IntegerAttr>(y.expr);
  if (op == "max")
    made.least = std::max(x.least, y.least);
  if (op == "sub")
    made.least = constant && x.least >= 0 ? -constant.getInt() : kNoBound;
  if (op == "mod")
    made.least = 0;
  if (division && !isa<IntegerAttr>(y.expr))
    y.expr = manifest.expr("max", {y.expr, manifest.number(1)});
  made.expr = manifest.expr(op, {x.expr, y.expr});
  return made;
}

HostValue LaunchValues::findArgument(BlockArgument argument) {
  auto param = argument.getOwner() == &kernel.getBody().front()
                   ? kernel.getArgAttrOfType<ParamAttr>(argument.getArgNumber(),
                                                        kParamAttr)
                   : ParamAttr();
  if (!param || param.getKind() != ParamKind::Size)
    return {};
  return {manifest.size(param.getName(), param.getDim()), false, 0};
}

HostValue LaunchValues::findAffine(AffineExpr expr, ValueRange operands,
                                   unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {manifest.number(constant.getValue()), false, constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return find(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return find(operands[dims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  HostValue x = findAffine(binary.getLHS(), operands, dims),
            y = findAffine(binary.getRHS(), operands, dims);
  return join(mlir::fa::nameOf(expr.getKind()), x, y);
}

/// The manifest's name for `op`, empty where it has none. Divisions round down
/// there: the others are the same where nothing is negative.
static StringRef nameOf(Operation *op, bool isNatural) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddIOp>([](auto) { return "add"; })
      .Case<arith::SubIOp>([](auto) { return "sub"; })
      .Case<arith::MulIOp>([](auto) { return "mul"; })
      .Case<arith::MinSIOp>([](auto) { return "min"; })
      .Case<arith::MaxSIOp>([](auto) { return "max"; })
      .Case<arith::CeilDivSIOp>([](auto) { return "ceildiv"; })
      .Case<arith::FloorDivSIOp>([](auto) { return "floordiv"; })
      .Case<arith::DivUIOp, arith::DivSIOp>(
          [&](auto) { return isNatural ? "floordiv" : ""; })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return isNatural ? "mod" : ""; })
      .Default([](Operation *) { return ""; });
}

HostValue LaunchValues::findOp(Operation *op) {
  IntegerAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return {manifest.number(constant.getInt()), false, constant.getInt()};
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return findAffine(apply.getAffineMap().getResult(0), apply.getMapOperands(),
                      apply.getAffineMap().getNumDims());
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return {};
  HostValue x = find(op->getOperand(0)), y = find(op->getOperand(1));
  // Rounds up where the dividend is negative, and is 0 a little below 0.
  auto divisor = dyn_cast_or_null<IntegerAttr>(y.expr);
  if (isa<arith::DivSIOp>(op) && divisor && x.least < 0 &&
      x.least > -divisor.getInt()) {
    x.expr = manifest.expr("max", {x.expr, manifest.number(0)});
    x.least = 0;
  }
  StringRef name = nameOf(op, x.least >= 0 && y.least >= 0);
  return name.empty() ? HostValue() : join(name, x, y);
}

HostValue LaunchValues::find(Value value) {
  if (!value.getType().isIndex())
    return {};
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  HostValue made = op ? findOp(op) : findArgument(cast<BlockArgument>(value));
  known[value] = made;
  return made;
}

/// The kernel's argument that is told as `expr`.
Value LaunchValues::argumentFor(Attribute expr) {
  ArrayAttr param = manifest.expr("expr", {expr});
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (kernel.getArgAttr(i, kParamAttr) == param)
      return kernel.getArgument(i);
  Builder b(kernel.getContext());
  unsigned place = kernel.getNumArguments();
  (void)kernel.insertArgument(
      place, b.getIndexType(),
      b.getDictionaryAttr(b.getNamedAttr(kParamAttr, param)), kernel.getLoc());
  return kernel.getArgument(place);
}

/// Parts of an affine expression whose whole is not known.
bool LaunchValues::replaceParts(affine::AffineApplyOp apply) {
  AffineMap map = apply.getAffineMap();
  SmallVector<Value> operands(apply.getMapOperands());
  unsigned symbols = map.getNumSymbols();
  DenseMap<AffineExpr, AffineExpr> parts;
  map.getResult(0).walk([&](AffineExpr part) {
    HostValue value =
        findAffine(part, apply.getMapOperands(), map.getNumDims());
    if (!value.divides || parts.contains(part))
      return;
    operands.push_back(argumentFor(value.expr));
    parts[part] = getAffineSymbolExpr(symbols++, apply.getContext());
  });
  if (parts.empty())
    return false;
  AffineMap made = AffineMap::get(map.getNumDims(), symbols,
                                  map.getResult(0).replace(parts));
  OpBuilder b(apply);
  Value result = affine::makeComposedAffineApply(b, apply.getLoc(), made,
                                                 getAsOpFoldResult(operands));
  apply.getResult().replaceAllUsesWith(result);
  return true;
}

bool LaunchValues::run() {
  SmallVector<std::pair<Value, Attribute>> asked;
  kernel.walk([&](Operation *op) {
    if (op->getNumResults() != 1)
      return;
    HostValue value = find(op->getResult(0));
    bool isPart = llvm::all_of(op->getUsers(), [&](Operation *user) {
      return user->getNumResults() == 1 && find(user->getResult(0)).expr;
    });
    if (value.divides && !isPart)
      asked.push_back({op->getResult(0), value.expr});
  });
  for (auto [value, expr] : asked)
    value.replaceAllUsesWith(argumentFor(expr));
  bool any = !asked.empty();
  for (auto apply : findOps<affine::AffineApplyOp>(kernel))
    if (!find(apply.getResult()).expr)
      any |= replaceParts(apply);
  return any;
}

namespace {
struct LaunchValuesPass : mlir::fa::impl::WgLaunchValuesBase<LaunchValuesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"specialized"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      // A block of one tile computes these once, and has registers for them.
      if (!staysForTiles(kernel))
        continue;
      if (LaunchValues(kernel).run())
        updateTensorMaps(module, kernel);
    }
  }
};
} // namespace
