// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/KernelArguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fa;

static TensorAttr tensorOf(func::FuncOp entry, BlockArgument argument) {
  return entry.getArgAttrOfType<TensorAttr>(argument.getArgNumber(),
                                            kTensorAttr);
}

//===----------------------------------------------------------------------===//
// From tensors to arguments
//===----------------------------------------------------------------------===//

void KernelArguments::add(Type type, ParamKind kind, StringRef name,
                          int64_t dim) {
  types.push_back(type);
  params.push_back(ParamAttr::get(type.getContext(), kind, name, dim));
}

/// Whether `tensor` has the rank and the static extents of `type`.
static bool describes(TensorAttr tensor, MemRefType type) {
  if (static_cast<int64_t>(tensor.getDims().size()) != type.getRank())
    return false;
  for (auto [dim, extent] : llvm::zip(tensor.getDims(), type.getShape())) {
    auto number = dyn_cast<IntegerAttr>(dim);
    bool agrees =
        ShapedType::isDynamic(extent) || (number && number.getInt() == extent);
    if (!agrees)
      return false;
  }
  return true;
}

LogicalResult KernelArguments::describeTensor(func::FuncOp entry,
                                              BlockArgument argument,
                                              TensorAttr tensor) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
      !describes(tensor, type))
    return entry.emitError() << "expects a strided memref that " << tensor
                             << " describes, got " << argument.getType();
  Type index = IndexType::get(entry.getContext());
  StringRef role = tensor.getName();
  add(MemRefType::get({}, type.getElementType()), ParamKind::Pointer, role);
  for (auto [i, dim] : llvm::enumerate(tensor.getDims()))
    if (auto symbol = dyn_cast<StringAttr>(dim))
      if (extents.try_emplace(symbol.getValue(), types.size()).second)
        add(index, ParamKind::Size, role, i);
  for (auto [i, stride] : llvm::enumerate(strides))
    if (ShapedType::isDynamic(stride))
      add(index, ParamKind::Stride, role, i);
  return success();
}

LogicalResult KernelArguments::describe(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    TensorAttr tensor = tensorOf(entry, argument);
    auto name = entry.getArgAttrOfType<StringAttr>(number, kNameAttr);
    if (!tensor && !name)
      return entry.emitError()
             << "expects every argument to have fa.tensor or fa.name (stage "
                "buffers), argument #"
             << number << " has neither";
    if (!tensor)
      add(argument.getType(), ParamKind::Scalar, name.getValue());
    else if (failed(describeTensor(entry, argument, tensor)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// From arguments to tensors
//===----------------------------------------------------------------------===//

/// The memref of one of the entry's tensors, whose own arguments begin at
/// `next`, which moves behind them.
Value KernelArguments::rebuildTensor(OpBuilder &b, Location loc,
                                     MemRefType type, TensorAttr tensor,
                                     ValueRange flat, unsigned &next) const {
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  Value base = flat[next++];
  SmallVector<OpFoldResult> sizeValues, strideValues;
  for (Attribute dim : tensor.getDims()) {
    auto symbol = dyn_cast<StringAttr>(dim);
    if (!symbol) {
      sizeValues.push_back(b.getIndexAttr(cast<IntegerAttr>(dim).getInt()));
      continue;
    }
    unsigned position = extents.lookup(symbol.getValue());
    sizeValues.push_back(flat[position]);
    if (position == next)
      ++next;
  }
  for (int64_t stride : strides) {
    if (ShapedType::isDynamic(stride))
      strideValues.push_back(flat[next++]);
    else
      strideValues.push_back(b.getIndexAttr(stride));
  }
  OpFoldResult zero =
      ShapedType::isDynamic(offset)
          ? OpFoldResult(arith::ConstantIndexOp::create(b, loc, 0))
          : OpFoldResult(b.getIndexAttr(offset));
  return memref::ReinterpretCastOp::create(b, loc, type, base, zero, sizeValues,
                                           strideValues);
}

void KernelArguments::rebuild(OpBuilder &b, func::FuncOp entry, ValueRange flat,
                              IRMapping &mapping) const {
  unsigned next = 0;
  for (BlockArgument argument : entry.getArguments()) {
    TensorAttr tensor = tensorOf(entry, argument);
    mapping.map(argument,
                tensor ? rebuildTensor(b, entry.getLoc(),
                                       cast<MemRefType>(argument.getType()),
                                       tensor, flat, next)
                       : flat[next++]);
  }
}
