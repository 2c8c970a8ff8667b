// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX operators that move elements about and take shapes and positions from
// other tensors: Reshape, Slice, Concat. Which dynamic dimensions a Reshape
// keeps is read off where its shape comes from.
#include "passes/Raise/FromOnnx.h"

using namespace mlir;
using namespace mlir::fa::raising;

namespace {
/// One number of a shape: known, or a dimension of a tensor.
struct Extent {
  std::optional<int64_t> number = std::nullopt;
  Value tensor = nullptr;
  int64_t dim = 0;
};
} // namespace

static StringRef nameOf(Operation *op) {
  StringRef name = op ? op->getName().getStringRef() : StringRef();
  return name.consume_front("onnx.") ? name : StringRef();
}

/// The integers of a constant operand.
static std::optional<SmallVector<int64_t>> numbersOf(Value value) {
  Operation *op = value.getDefiningOp();
  return nameOf(op) == "Constant" ? integersOf(attributeOf(op, "value"))
                                  : std::nullopt;
}

/// Ops that are not registered may have any number of operands.
static Value operandOf(Operation *op, unsigned i) {
  return i < op->getNumOperands() && tensorType(op->getOperand(i))
             ? op->getOperand(i)
             : Value();
}

/// Element `i` of the tensors in a row.
static Extent extentOfParts(ValueRange parts, int64_t i);

/// Where a part of a tensor of sizes begins.
static std::optional<int64_t> startOf(Operation *op, Value positions) {
  Value whole = operandOf(op, 0);
  auto numbers = positions ? numbersOf(positions) : std::nullopt;
  RankedTensorType type = whole ? tensorType(whole) : nullptr;
  if (!numbers || numbers->size() != 1 || !type || type.getRank() != 1 ||
      type.isDynamicDim(0))
    return std::nullopt;
  int64_t start = (*numbers)[0];
  return start < 0 ? start + type.getDimSize(0) : start;
}

/// Element `i` of a tensor of sizes.
static Extent extentAt(Value sizes, int64_t i) {
  if (i < 0)
    return {};
  if (auto numbers = numbersOf(sizes))
    return i < static_cast<int64_t>(numbers->size()) ? Extent{(*numbers)[i]}
                                                     : Extent{};
  Operation *op = sizes.getDefiningOp();
  StringRef name = nameOf(op);
  if (name.empty() || !operandOf(op, 0))
    return {};
  Value first = operandOf(op, 0);
  if (name == "Dim")
    return {std::nullopt, first, integerOf(op, "axis").value_or(0)};
  if (name == "Shape")
    return {std::nullopt, first, i + integerOf(op, "start").value_or(0)};
  if (name == "Concat")
    return extentOfParts(op->getOperands(), i);
  if (name == "Gather" || name == "Slice") {
    auto start = startOf(op, operandOf(op, 1));
    return start ? extentAt(first, *start + (name == "Slice" ? i : 0))
                 : Extent{};
  }
  RankedTensorType type = tensorType(sizes);
  bool isOne = type && type.hasStaticShape() && type.getNumElements() == 1;
  bool keeps =
      llvm::is_contained({"Unsqueeze", "Squeeze", "Reshape", "Cast"}, name);
  return isOne && keeps ? extentAt(first, 0) : Extent{};
}

static Extent extentOfParts(ValueRange parts, int64_t i) {
  for (Value part : parts) {
    RankedTensorType type = tensorType(part);
    if (!type || type.getRank() != 1 || !type.hasStaticShape())
      return {};
    if (i < type.getDimSize(0))
      return extentAt(part, i);
    i -= type.getDimSize(0);
  }
  return {};
}

/// The dimension of operand `i` that meets `dim` where shapes are aligned at
/// their last dimension.
static Extent aligned(Operation *op, unsigned i, int64_t dim) {
  Value operand = operandOf(op, i);
  if (!operand)
    return {};
  RankedTensorType type = tensorType(operand);
  int64_t own = dim - (tensorType(op->getResult(0)).getRank() - type.getRank());
  return own >= 0 && type.getDimSize(own) != 1
             ? Extent{std::nullopt, operand, own}
             : Extent{};
}

/// The dimension of the operand that has as many before it, 1s not counted.
static Extent withoutUnits(Operation *op, int64_t dim) {
  auto shape = tensorType(op->getResult(0)).getShape();
  int64_t before = llvm::count_if(shape.take_front(dim),
                                  [](int64_t extent) { return extent != 1; });
  Value operand = operandOf(op, 0);
  for (auto [own, extent] : llvm::enumerate(tensorType(operand).getShape()))
    if (extent != 1 && before-- == 0)
      return {std::nullopt, operand, static_cast<int64_t>(own)};
  return {};
}

/// The dimension of an operand that a dimension of the result is, or nothing.
static Extent operandDimension(Operation *op, int64_t dim) {
  StringRef name = nameOf(op);
  Value first = op->getNumOperands() ? operandOf(op, 0) : Value();
  if (name.empty() || !first)
    return {};
  if (name == "Reshape" && operandOf(op, 1)) {
    Extent own = extentAt(op->getOperand(1), dim);
    if (own.number == 0 && integerOf(op, "allowzero").value_or(0) == 0)
      return {std::nullopt, first, dim};
    return own.number ? Extent{} : own;
  }
  if (name == "Transpose") {
    auto permutation = integersOf(attributeOf(op, "perm"));
    bool fits = permutation && dim < static_cast<int64_t>(permutation->size());
    return fits ? Extent{std::nullopt, first, (*permutation)[dim]} : Extent{};
  }
  if (name == "Unsqueeze" || name == "Squeeze")
    return withoutUnits(op, dim);
  int64_t rank = tensorType(op->getResult(0)).getRank();
  if (name == "MatMul" && rank >= 2)
    return aligned(op, dim + 1 == rank ? 1 : 0, dim);
  if (llvm::is_contained({"Cast", "Identity", "Softmax", "Expand"}, name))
    return aligned(op, 0, dim);
  if (llvm::is_contained({"Add", "Sub", "Mul", "Div"}, name))
    for (unsigned i : {0, 1})
      if (Extent own = aligned(op, i, dim); own.tensor)
        return own;
  return {};
}

/// The dimension of a tensor further up that this one is.
static std::pair<Value, int64_t> originOf(Value tensor, int64_t dim) {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    RankedTensorType type = tensorType(tensor);
    bool exists = type && dim >= 0 && dim < type.getRank();
    if (!exists || result.getOwner()->getNumResults() != 1)
      break;
    Extent next = operandDimension(result.getOwner(), dim);
    if (!next.tensor)
      break;
    tensor = next.tensor;
    dim = next.dim;
  }
  return {tensor, dim};
}

Expr *mlir::fa::raising::onnxExtent(Graph &graph, OpResult result,
                                    const Coords &at) {
  if (at.size() > 1 || (at.size() == 1 && !at[0].digits.empty()))
    return nullptr;
  Extent own = extentAt(result, at.empty() ? 0 : at[0].offset);
  RankedTensorType type = own.tensor ? tensorType(own.tensor) : nullptr;
  bool isStatic = type && own.dim >= 0 && own.dim < type.getRank() &&
                  !type.isDynamicDim(own.dim);
  return isStatic ? graph.constant(type.getDimSize(own.dim),
                                   tensorType(result).getElementType())
                  : nullptr;
}

Expr *mlir::fa::raising::onnxReshape(Graph &graph, OpResult result,
                                     const Coords &at) {
  Operation *op = result.getOwner();
  Value input = op->getOperand(0);
  RankedTensorType from = tensorType(input), to = tensorType(result);
  if (!from || !to)
    return nullptr;
  // Only of dynamic dimensions, which the types say nothing about.
  auto same = [&](size_t outer, size_t inner) {
    if (op->getNumOperands() < 2)
      return false;
    Extent own = extentAt(op->getOperand(1), outer);
    if (own.number)
      return *own.number == 0 && outer == inner &&
             integerOf(op, "allowzero").value_or(0) == 0;
    return own.tensor &&
           originOf(own.tensor, own.dim) == originOf(input, inner);
  };
  auto inner = graph.reshape(at, to, from, same);
  return inner ? graph.load(input, *inner) : nullptr;
}

Expr *mlir::fa::raising::onnxSlice(Graph &graph, OpResult result,
                                   const Coords &at) {
  Operation *op = result.getOwner();
  RankedTensorType from = tensorType(op->getOperand(0));
  if (!from || op->getNumOperands() < 3)
    return nullptr;
  auto given = [&](unsigned operand) {
    return operand < op->getNumOperands() &&
           !isa<NoneType>(op->getOperand(operand).getType());
  };
  auto starts = numbersOf(op->getOperand(1));
  auto axes = given(3) ? numbersOf(op->getOperand(3))
                       : llvm::to_vector(llvm::seq<int64_t>(from.getRank()));
  auto steps =
      given(4) ? numbersOf(op->getOperand(4)) : SmallVector<int64_t>(1, 1);
  if (!starts || !axes || !steps || axes->size() < starts->size() ||
      llvm::any_of(*steps, [](int64_t step) { return step != 1; }))
    return nullptr;
  SmallVector<int64_t> all(from.getRank(), 0);
  for (auto [start, axis] : llvm::zip(*starts, *axes)) {
    int64_t dim = axis < 0 ? axis + from.getRank() : axis;
    if (dim < 0 || dim >= from.getRank() ||
        (start < 0 && from.isDynamicDim(dim)))
      return nullptr;
    all[dim] =
        start < 0 ? std::max<int64_t>(start + from.getDimSize(dim), 0) : start;
  }
  return sliced(graph, op->getOperand(0), all, at);
}

Expr *mlir::fa::raising::onnxConcat(Graph &graph, OpResult result,
                                    const Coords &at) {
  Operation *op = result.getOwner();
  auto axis = integerOf(op, "axis");
  return axis ? concatenated(graph, op->getOperands(), *axis, at) : nullptr;
}
