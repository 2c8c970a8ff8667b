// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's tensor dialect, constants, and arith and math on whole tensors.
#include "passes/Raise/Common.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fa::raising;

static Expr *collapse(Graph &graph, tensor::CollapseShapeOp op,
                      const Coords &at) {
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  Coords inner;
  for (auto [group, coord] : llvm::zip(op.getReassociationIndices(), at)) {
    SmallVector<int64_t> extents;
    for (int64_t dim : group)
      extents.push_back(shape[dim]);
    auto parts = graph.split(coord, extents);
    if (!parts)
      return nullptr;
    inner.append(parts->begin(), parts->end());
  }
  // Everything collapsed into a scalar.
  inner.resize(shape.size());
  return graph.load(op.getSrc(), inner);
}

static Expr *expandShape(Graph &graph, tensor::ExpandShapeOp op,
                         const Coords &at) {
  Coords inner;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Coords parts;
    for (int64_t dim : group)
      parts.push_back(at[dim]);
    auto merged = graph.merge(parts);
    if (!merged)
      return nullptr;
    inner.push_back(*merged);
  }
  return graph.load(op.getSrc(), inner);
}

static bool isStatic(ArrayRef<int64_t> numbers) {
  return llvm::none_of(numbers, ShapedType::isDynamic);
}

/// The size of a dynamic dimension, where the ops that make `tensor` name it.
static Value sizeOf(Value tensor, int64_t dim) {
  while (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
  auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
  return empty && empty.getType().isDynamicDim(dim) ? empty.getDynamicSize(dim)
                                                    : Value();
}

/// Whether `size` is that of dimension `dim` of `tensor`.
static bool isSizeOf(Value size, Value tensor, int64_t dim) {
  auto of = size.getDefiningOp<tensor::DimOp>();
  return size == sizeOf(tensor, dim) ||
         (of && of.getSource() == tensor && of.getConstantIndex() == dim);
}

static Expr *slice(Graph &graph, tensor::ExtractSliceOp op, const Coords &at) {
  if (!op.hasUnitStride() || !isStatic(op.getStaticOffsets()))
    return nullptr;
  auto isWhole = [&](int64_t dim) {
    auto size = dyn_cast<Value>(op.getMixedSizes()[dim]);
    return size && isSizeOf(size, op.getSource(), dim);
  };
  return op.getType().getRank() == op.getSourceType().getRank()
             ? sliced(graph, op.getSource(), op.getStaticOffsets(), at, isWhole)
             : nullptr;
}

/// An element that is wholly in the inserted part, or wholly beside it.
static Expr *inserted(Graph &graph, tensor::InsertSliceOp op,
                      const Coords &at) {
  if (!op.hasUnitStride() || !isStatic(op.getStaticOffsets()) ||
      !isStatic(op.getStaticSizes()) ||
      op.getSourceType().getRank() != op.getType().getRank())
    return nullptr;
  Coords inner = at;
  bool isInside = true;
  for (auto [coord, offset, size] :
       llvm::zip(inner, op.getStaticOffsets(), op.getStaticSizes())) {
    int64_t length = extentOf(coord.digits);
    coord.offset -= offset;
    if (ShapedType::isDynamic(length))
      return nullptr;
    if (coord.offset >= size || coord.offset + length <= 0)
      return graph.load(op.getDest(), at);
    isInside &= coord.offset >= 0 && coord.offset + length <= size;
  }
  return isInside ? graph.load(op.getSource(), inner) : nullptr;
}

/// Ops on scalars, applied to tensors element by element.
static Expr *elementwise(Graph &graph, Operation *op, const Coords &at) {
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
    return nullptr;
  SmallVector<Expr *> args;
  for (Value operand : op->getOperands())
    args.push_back(isa<RankedTensorType>(operand.getType())
                       ? graph.load(operand, at)
                       : graph.scalar(operand));
  return defineScalar(graph, op, args, getElementTypeOrSelf(op->getResult(0)));
}

Expr *mlir::fa::raising::defineTensor(Graph &graph, OpResult result,
                                      const Coords &at) {
  Operation *op = result.getOwner();
  ElementsAttr value;
  if (matchPattern(op, m_Constant(&value)))
    return graph.literal(value, at);
  if (auto shape = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapse(graph, shape, at);
  if (auto shape = dyn_cast<tensor::ExpandShapeOp>(op))
    return expandShape(graph, shape, at);
  if (auto cut = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice(graph, cut, at);
  if (auto joined = dyn_cast<tensor::ConcatOp>(op))
    return concatenated(graph, joined.getInputs(), joined.getDim(), at);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return inserted(graph, insert, at);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? graph.load(cast.getSource(), at)
               : nullptr;
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return graph.scalar(splat.getInput());
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op))
    return elements.getElements().size() == 1
               ? graph.scalar(elements.getElements()[0])
               : nullptr;
  return elementwise(graph, op, at);
}

Expr *mlir::fa::raising::define(Graph &graph, OpResult result,
                                const Coords &at) {
  using Definer = Expr *(*)(Graph &, OpResult, const Coords &);
  static constexpr Definer all[] = {defineTensor,    defineLinalg, defineTosa,
                                    defineStablehlo, defineOnnx,   defineFused};
  for (Definer definer : all)
    if (Expr *expr = definer(graph, result, at))
      return expr;
  return nullptr;
}

bool mlir::fa::raising::isPure(Operation *op) {
  if (op->isRegistered())
    return isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>();
  // Of these dialects only computations are known; a few ops act.
  StringRef name = op->getName().getStringRef();
  if (llvm::is_contained({"onnx.Return", "onnx.Print", "onnx.EntryPoint",
                          "stablehlo.return", "stablehlo.custom_call",
                          "stablehlo.infeed", "stablehlo.outfeed",
                          "stablehlo.send", "stablehlo.recv", "stablehlo.rng",
                          "stablehlo.while"},
                         name))
    return false;
  return llvm::any_of(
      ArrayRef<StringRef>{"onnx.", "stablehlo.", "chlo.", "tm_tensor.",
                          "iree_linalg_ext."},
      [&](StringRef dialect) { return name.starts_with(dialect); });
}

Attribute mlir::fa::raising::attributeOf(Operation *op, StringRef name) {
  if (Attribute attribute = op->getAttr(name))
    return attribute;
  // Unregistered ops keep `<{...}>` as one dictionary.
  if (auto properties =
          dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    return properties.get(name);
  return nullptr;
}

std::optional<SmallVector<int64_t>>
mlir::fa::raising::integersOf(Attribute attribute) {
  SmallVector<int64_t> numbers;
  if (auto dense = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return llvm::to_vector(dense.asArrayRef());
  if (auto dense = dyn_cast_or_null<DenseI32ArrayAttr>(attribute))
    return SmallVector<int64_t>(dense.asArrayRef().begin(),
                                dense.asArrayRef().end());
  if (auto dense = dyn_cast_or_null<DenseArrayAttr>(attribute);
      dense && dense.empty())
    return numbers;
  if (auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute)) {
    for (const APInt &value : elements.getValues<APInt>())
      numbers.push_back(value.getSExtValue());
    return numbers;
  }
  auto array = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!array)
    return std::nullopt;
  for (Attribute entry : array) {
    auto integer = dyn_cast<IntegerAttr>(entry);
    if (!integer)
      return std::nullopt;
    numbers.push_back(integer.getValue().getSExtValue());
  }
  return numbers;
}
