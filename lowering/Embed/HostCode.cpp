// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Embed/HostCode.h"

#include "lowering/Embed/Problem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fa;

HostBuilder::HostBuilder(func::FuncOp function, func::FuncOp entry)
    : b(function), loc(function.getLoc()) {
  // MLIR's inliner does not give the stack back that the body takes, so that a
  // loop around the call would use it up.
  function.setNoInline(true);
  b.setInsertionPointToStart(function.addEntryBlock());
  for (BlockArgument argument : function.getArguments()) {
    StringRef name = argumentName(entry, argument.getArgNumber());
    if (isa<MemRefType>(argument.getType()))
      readTensor(name, argument);
    else
      scalars[name] = argument;
  }
}

Value HostBuilder::number(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 64);
}

Value HostBuilder::widen(Value value) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
}

void HostBuilder::readTensor(StringRef name, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  Tensor &tensor = tensors[name];
  tensor.element = type.getElementType();
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  Value base =
      widen(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref));
  Value offset =
      arith::MulIOp::create(b, loc, widen(metadata.getOffset()), number(bytes));
  tensor.address = arith::AddIOp::create(b, loc, base, offset);
  for (Value size : metadata.getSizes())
    tensor.sizes.push_back(widen(size));
  for (Value stride : metadata.getStrides())
    tensor.strides.push_back(widen(stride));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The remainder that has the sign of `n`, which is positive.
Value HostBuilder::floorMod(Value a, Value n) {
  Value rest = arith::RemSIOp::create(b, loc, a, n);
  Value negative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rest, number(0));
  Value moved = arith::AddIOp::create(b, loc, rest, n);
  return arith::SelectOp::create(b, loc, negative, moved, rest);
}

Value HostBuilder::floorDiv(Value a, Value n) {
  Value multiple = arith::SubIOp::create(b, loc, a, floorMod(a, n));
  return arith::DivSIOp::create(b, loc, multiple, n);
}

static std::optional<arith::CmpIPredicate> comparison(StringRef op) {
  return llvm::StringSwitch<std::optional<arith::CmpIPredicate>>(op)
      .Case("eq", arith::CmpIPredicate::eq)
      .Case("ne", arith::CmpIPredicate::ne)
      .Case("lt", arith::CmpIPredicate::slt)
      .Case("le", arith::CmpIPredicate::sle)
      .Case("gt", arith::CmpIPredicate::sgt)
      .Case("ge", arith::CmpIPredicate::sge)
      .Default(std::nullopt);
}

Value HostBuilder::combine(StringRef op, Value a, Value n) {
  if (auto predicate = comparison(op))
    return arith::CmpIOp::create(b, loc, *predicate, a, n);
  if (op == "add")
    return arith::AddIOp::create(b, loc, a, n);
  if (op == "sub")
    return arith::SubIOp::create(b, loc, a, n);
  if (op == "mul")
    return arith::MulIOp::create(b, loc, a, n);
  if (op == "min")
    return arith::MinSIOp::create(b, loc, a, n);
  if (op == "max")
    return arith::MaxSIOp::create(b, loc, a, n);
  if (op == "and")
    return arith::AndIOp::create(b, loc, a, n);
  if (op == "or")
    return arith::OrIOp::create(b, loc, a, n);
  if (op == "mod")
    return floorMod(a, n);
  if (op == "floordiv")
    return floorDiv(a, n);
  // ceildiv
  Value negative = arith::SubIOp::create(b, loc, number(0), a);
  return arith::SubIOp::create(b, loc, number(0), floorDiv(negative, n));
}

Value HostBuilder::evaluate(Attribute expr) {
  if (auto truth = dyn_cast<BoolAttr>(expr))
    return arith::ConstantIntOp::create(b, loc, truth.getValue(), 1);
  if (auto integer = dyn_cast<IntegerAttr>(expr))
    return number(integer.getInt());
  auto parts = cast<ArrayAttr>(expr).getValue();
  StringRef op = cast<StringAttr>(parts[0]).getValue();
  auto argument = [&](unsigned i) {
    return cast<IntegerAttr>(parts[i]).getInt();
  };
  if (op == "size" || op == "stride" || op == "aligned") {
    const Tensor &of = tensor(cast<StringAttr>(parts[1]).getValue());
    if (op == "size")
      return of.sizes[argument(2)];
    if (op == "stride")
      return of.strides[argument(2)];
    Value rest =
        arith::RemUIOp::create(b, loc, of.address, number(argument(2)));
    return combine("eq", rest, number(0));
  }
  if (op == "units")
    return units;
  if (op == "not") {
    Value always = arith::ConstantIntOp::create(b, loc, 1, 1);
    return arith::XOrIOp::create(b, loc, evaluate(parts[1]), always);
  }
  Value value = evaluate(parts[1]);
  for (Attribute next : parts.drop_front(2))
    value = combine(op, value, evaluate(next));
  return value;
}
