// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// host=runtime: a call of libfa_runtime's fa_embedded_launch.
#include "lowering/Embed/HostCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fa;

/// A function of the runtime, declared where it is not yet.
static func::FuncOp declare(ModuleOp module, StringRef name,
                            FunctionType type) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  auto b = OpBuilder::atBlockBegin(module.getBody());
  auto function = func::FuncOp::create(b, module.getLoc(), name, type);
  function.setPrivate();
  return function;
}

static memref::GlobalOp addGlobal(func::FuncOp before, const Twine &name,
                                  DenseElementsAttr value, bool constant) {
  OpBuilder b(before);
  auto shaped = value.getType();
  auto type = MemRefType::get(shaped.getShape(), shaped.getElementType());
  return memref::GlobalOp::create(
      b, before.getLoc(), b.getStringAttr(before.getSymName() + name),
      b.getStringAttr("private"), TypeAttr::get(type), value,
      constant ? b.getUnitAttr() : UnitAttr(), IntegerAttr());
}

/// The address of the first element of a memref, as i64.
static Value addressOf(HostBuilder &host, Value memref) {
  return host.widen(
      memref::ExtractAlignedPointerAsIndexOp::create(host.b, host.loc, memref));
}

static Value addressOf(HostBuilder &host, memref::GlobalOp global) {
  return addressOf(host, memref::GetGlobalOp::create(host.b, host.loc,
                                                     global.getType(),
                                                     global.getSymName()));
}

/// 64 bits of a scalar: an f64, or an i64.
static Value scalarBits(HostBuilder &host, Value value) {
  OpBuilder &b = host.b;
  Type type = value.getType();
  if (isa<FloatType>(type)) {
    if (!type.isF64())
      value = arith::ExtFOp::create(b, host.loc, b.getF64Type(), value);
    return arith::BitcastOp::create(b, host.loc, b.getI64Type(), value);
  }
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b, host.loc, b.getI64Type(), value);
  if (!type.isInteger(64))
    return arith::ExtSIOp::create(b, host.loc, b.getI64Type(), value);
  return value;
}

/// What fa_embedded_launch takes as `values`.
static SmallVector<Value> listValues(HostBuilder &host,
                                     DictionaryAttr manifest) {
  SmallVector<Value> values;
  auto nameOf = [](Attribute entry) {
    return cast<DictionaryAttr>(entry).getAs<StringAttr>("name").getValue();
  };
  for (Attribute entry : manifest.getAs<ArrayAttr>("tensors")) {
    const HostBuilder::Tensor &tensor = host.tensor(nameOf(entry));
    values.push_back(tensor.address);
    llvm::append_range(values, tensor.sizes);
    llvm::append_range(values, tensor.strides);
  }
  for (Attribute entry : manifest.getAs<ArrayAttr>("scalars"))
    values.push_back(scalarBits(host, host.scalar(nameOf(entry))));
  return values;
}

void mlir::fa::buildRuntimeCall(ModuleOp module, func::FuncOp function,
                                func::FuncOp entry, DictionaryAttr manifest,
                                StringRef bytes) {
  Builder types(module.getContext());
  Type i64 = types.getI64Type(), i32 = types.getI32Type();
  func::FuncOp launch =
      declare(module, "fa_embedded_launch",
              types.getFunctionType(SmallVector<Type>(6, i64), i32));
  func::FuncOp check = declare(module, "fa_embedded_check",
                               types.getFunctionType(i32, TypeRange()));
  auto size = static_cast<int64_t>(bytes.size());
  memref::GlobalOp artifact =
      addGlobal(function, "_artifact",
                DenseElementsAttr::getFromRawBuffer(
                    RankedTensorType::get(size, types.getI8Type()),
                    ArrayRef<char>(bytes.data(), bytes.size())),
                /*constant=*/true);
  memref::GlobalOp state = addGlobal(
      function, "_state",
      DenseElementsAttr::get(RankedTensorType::get(1, i64), int64_t(0)),
      /*constant=*/false);

  HostBuilder host(function, entry);
  OpBuilder &b = host.b;
  SmallVector<Value> values = listValues(host, manifest);
  auto count = static_cast<int64_t>(values.size());
  Value list =
      memref::AllocaOp::create(b, host.loc, MemRefType::get(count, i64));
  for (auto [i, value] : llvm::enumerate(values)) {
    Value at = arith::ConstantIndexOp::create(b, host.loc, i);
    memref::StoreOp::create(b, host.loc, value, list, at);
  }
  SmallVector<Value> arguments{addressOf(host, artifact), host.number(size),
                               addressOf(host, state),    addressOf(host, list),
                               host.number(count),        host.number(0)};
  auto status = func::CallOp::create(b, host.loc, launch, arguments);
  func::CallOp::create(b, host.loc, check, status.getResults());
  func::ReturnOp::create(b, host.loc);
}
