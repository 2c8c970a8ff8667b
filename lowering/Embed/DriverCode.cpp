// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Embed/DriverCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fa;

/// DriverCode.mlir.
static constexpr StringLiteral kDriverCode =
#include "lowering/Embed/DriverCode.mlir.inc"
    ;

/// Whether `known`, the host's, may stand for `needed`: a global with all that
/// it has; a function by its type, but with a body where `needed` has one, as
/// nothing else would define it.
static bool isAsNeeded(Operation *known, Operation *needed) {
  auto function = dyn_cast<FunctionOpInterface>(known);
  if (!function || known->getName() != needed->getName())
    return OperationEquivalence::isEquivalentTo(
        known, needed, OperationEquivalence::IgnoreLocations);
  auto wanted = cast<FunctionOpInterface>(needed);
  return function.getFunctionType() == wanted.getFunctionType() &&
         (wanted.isExternal() || !function.isExternal());
}

/// `op` for an error: what it is, its type and whether it has a body; of what
/// is no function, the op without its regions.
static void describe(InFlightDiagnostic &diag, Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function) {
    diag.getUnderlyingDiagnostic()->appendOp(
        *op, OpPrintingFlags().skipRegions().elideLargeElementsAttrs());
    return;
  }
  diag << op->getName() << " of type " << function.getFunctionType()
       << (function.isExternal() ? " without a body" : " with a body");
}

static LogicalResult checkKnown(Operation *known, Operation *needed) {
  if (isAsNeeded(known, needed))
    return success();
  InFlightDiagnostic diag = emitError(known->getLoc());
  diag << "expects '" << SymbolTable::getSymbolName(needed).getValue()
       << "' to be, for host=launch_func, ";
  describe(diag, needed);
  diag << ", got ";
  describe(diag, known);
  return diag;
}

LogicalResult mlir::fa::addDriverCode(ModuleOp module) {
  OwningOpRef<ModuleOp> code =
      parseSourceString<ModuleOp>(kDriverCode, module.getContext());
  for (Operation &op : llvm::make_early_inc_range(*code->getBody())) {
    StringRef name = SymbolTable::getSymbolName(&op).getValue();
    Operation *known = module.lookupSymbol(name);
    if (!known)
      op.moveBefore(module.getBody(), module.getBody()->end());
    else if (failed(checkKnown(known, &op)))
      return failure();
  }
  return success();
}

/// Whether `attr` is, or has in it, a list that begins with one of `words`, as
/// expressions and parameters do.
static bool mentions(Attribute attr, ArrayRef<StringRef> words) {
  bool found = false;
  attr.walk([&](ArrayAttr list) {
    auto first =
        list.empty() ? StringAttr() : dyn_cast<StringAttr>(*list.begin());
    found |= first && llvm::is_contained(words, first.getValue());
  });
  return found;
}

bool DriverCalls::neededBy(DictionaryAttr kernel) {
  return mentions(kernel, {"units", "tensor_map"});
}

bool DriverCalls::areUnitsIn(Attribute expr) {
  return mentions(expr, {"units"});
}

Value DriverCalls::word(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

/// `values` on the stack, and where.
Value DriverCalls::array(ArrayRef<Value> values) {
  Type type = values[0].getType();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value place =
      LLVM::AllocaOp::create(b, loc, pointer, type, host.number(values.size()));
  for (auto [i, value] : llvm::enumerate(values)) {
    Value at = LLVM::GEPOp::create(b, loc, pointer, type, place,
                                   LLVM::GEPArg(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(b, loc, value, at);
  }
  return place;
}

func::CallOp DriverCalls::call(StringRef name, TypeRange results,
                               ValueRange arguments) {
  return func::CallOp::create(b, loc, name, results, arguments);
}

void DriverCalls::enter() {
  func::CallOp entering =
      call("fa_enter_device", {b.getI32Type(), b.getI1Type()},
           host.tensor("q").address);
  device = entering.getResult(0);
  entered = entering.getResult(1);
}

void DriverCalls::leave() {
  call("fa_leave_device", TypeRange(), {device, entered});
}

Value DriverCalls::units() {
  return call("fa_count_units", b.getI64Type(), device).getResult(0);
}

/// CUtensorMapDataType.
static int64_t typeCode(Type type) {
  return type.isF16() ? 6 : type.isBF16() ? 9 : /*f32*/ 7;
}

/// CUtensorMapSwizzle.
static int64_t swizzleCode(int64_t bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

Value DriverCalls::tensorMap(ArrayAttr param) {
  StringRef name = cast<StringAttr>(param[1]).getValue();
  auto field = [&](unsigned i) { return cast<IntegerAttr>(param[i]).getInt(); };
  int64_t rows = field(2);
  const HostBuilder::Tensor &tensor = host.tensor(name);
  int64_t rank = tensor.sizes.size();
  // Columns, rows, then the others from the last to the first.
  SmallVector<int64_t> order{rank - 1, rows};
  for (int64_t dim = rank - 2; dim >= 0; --dim)
    if (dim != rows)
      order.push_back(dim);
  SmallVector<Value> sizes, strides, box(rank, word(1));
  for (int64_t dim : order) {
    sizes.push_back(tensor.sizes[dim]);
    strides.push_back(tensor.strides[dim]);
  }
  box[0] = word(field(4));
  box[1] = word(field(3));
  func::CallOp made =
      call("fa_make_tensor_map",
           {LLVM::LLVMArrayType::get(b.getI64Type(), 16), b.getI32Type()},
           {word(typeCode(tensor.element)),
            host.number(tensor.element.getIntOrFloatBitWidth() / 8), word(rank),
            tensor.address, array(sizes), array(strides), array(box),
            word(swizzleCode(field(5)))});
  Value good = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     made.getResult(1), word(0));
  cf::AssertOp::create(
      b, loc, good,
      ("fa.attention: cuTensorMapEncodeTiled makes no map of " + name).str());
  return made.getResult(0);
}
