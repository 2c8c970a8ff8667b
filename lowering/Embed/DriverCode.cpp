// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Embed/DriverCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fa;

/// DriverCode.mlir.
static constexpr StringLiteral kDriverCode =
#include "lowering/Embed/DriverCode.mlir.inc"
    ;

LogicalResult mlir::fa::addDriverCode(ModuleOp module) {
  OwningOpRef<ModuleOp> code =
      parseSourceString<ModuleOp>(kDriverCode, module.getContext());
  for (Operation &op : llvm::make_early_inc_range(*code->getBody())) {
    StringRef name = SymbolTable::getSymbolName(&op).getValue();
    Operation *known = module.lookupSymbol(name);
    if (!known) {
      op.moveBefore(module.getBody(), module.getBody()->end());
      continue;
    }
    auto typeOf = [](Operation *symbol) {
      return symbol->getAttr("function_type");
    };
    if (known->getName() != op.getName() || typeOf(known) != typeOf(&op))
      return known->emitError()
             << "expects '" << name << "' to be, for host=launch_func, "
             << op.getName() << " of type " << typeOf(&op);
  }
  return success();
}

bool DriverCalls::neededBy(DictionaryAttr kernel) {
  auto asks = [](Attribute attr) {
    auto text = dyn_cast<StringAttr>(attr);
    return text && (text == "units" || text == "tensor_map");
  };
  bool found = false;
  kernel.walk([&](Attribute attr) { found |= asks(attr); });
  return found;
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
