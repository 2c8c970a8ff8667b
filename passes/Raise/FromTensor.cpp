// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's tensor dialect, constants, and arith and math on whole tensors.
#include "passes/Raise/FrontEnds.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
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

static Expr *slice(Graph &graph, tensor::ExtractSliceOp op, const Coords &at) {
  if (!op.hasUnitStride() ||
      op.getType().getRank() != op.getSourceType().getRank())
    return nullptr;
  Coords inner = at;
  for (auto [coord, offset] : llvm::zip(inner, op.getStaticOffsets())) {
    if (ShapedType::isDynamic(offset))
      return nullptr;
    coord.offset += offset;
  }
  return graph.load(op.getSource(), inner);
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
