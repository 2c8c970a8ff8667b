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

/// The only number of a constant operand.
static std::optional<int64_t> numberOf(Value value) {
  auto numbers = value ? numbersOf(value) : std::nullopt;
  return numbers && numbers->size() == 1 ? std::optional<int64_t>((*numbers)[0])
                                         : std::nullopt;
}

/// Which element of its operand element `i` of a part of a tensor of sizes is:
/// of a Gather at one position, or of a Slice.
static std::optional<int64_t> positionOf(Operation *op, int64_t i) {
  Value whole = operandOf(op, 0);
  auto start = numberOf(operandOf(op, 1));
  RankedTensorType type = whole ? tensorType(whole) : nullptr;
  if (!start || !type || type.getRank() != 1 || type.isDynamicDim(0))
    return std::nullopt;
  int64_t size = type.getDimSize(0);
  if (*start < 0)
    *start += size;
  if (nameOf(op) == "Gather")
    return start;
  bool hasSteps =
      op->getNumOperands() > 4 && !isa<NoneType>(op->getOperand(4).getType());
  auto step = hasSteps ? numberOf(operandOf(op, 4)) : 1;
  if (!step || *step < -size || *step > size)
    return std::nullopt;
  // Starts in front of the tensor or behind it are moved to its ends.
  int64_t last = *step < 0 ? size - 1 : size;
  int64_t place = std::clamp<int64_t>(*start, 0, std::max<int64_t>(last, 0));
  return i < size ? std::optional<int64_t>(place + *step * i) : std::nullopt;
}

/// Element `i` of the Shape of a tensor, of all dimensions or some in a row.
static Extent dimensionOfShape(Operation *op, Value tensor, int64_t i) {
  int64_t start = integerOf(op, "start").value_or(0);
  int64_t rank = tensorType(tensor).getRank();
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  return i < rank - start ? Extent{std::nullopt, tensor, start + i} : Extent{};
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
    return dimensionOfShape(op, first, i);
  if (name == "Concat")
    return extentOfParts(op->getOperands(), i);
  if (name == "Gather" || name == "Slice") {
    auto position = positionOf(op, i);
    return position ? extentAt(first, *position) : Extent{};
  }
  RankedTensorType type = tensorType(sizes);
  bool isOne = type && type.hasStaticShape() && type.getNumElements() == 1;
  // A narrower type might not hold the size, and i1 holds none.
  bool keeps = llvm::is_contained({"Unsqueeze", "Squeeze", "Reshape"}, name) ||
               (name == "Cast" && type &&
                (type.getElementType().isInteger(32) ||
                 type.getElementType().isInteger(64)));
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

/// The dimension of the operand that has as many before it, those not counted
/// that an Unsqueeze puts in or a Squeeze takes out.
static Extent withoutUnits(Operation *op, int64_t dim) {
  bool takesOut = nameOf(op) == "Squeeze";
  Value operand = operandOf(op, 0), given = operandOf(op, 1);
  auto axes = given ? numbersOf(given) : integersOf(attributeOf(op, "axes"));
  int64_t rank = tensorType(operand).getRank(),
          other = tensorType(op->getResult(0)).getRank();
  int64_t longer = takesOut ? rank : other, shorter = takesOut ? other : rank;
  if (!axes || longer - shorter != static_cast<int64_t>(axes->size()))
    return {};
  int64_t kept = 0;
  for (int64_t place = 0; place < longer; ++place) {
    if (llvm::is_contained(*axes, place) ||
        llvm::is_contained(*axes, place - longer))
      continue;
    if (dim == (takesOut ? kept : place))
      return {std::nullopt, operand, takesOut ? place : kept};
    ++kept;
  }
  return {};
}

static bool isProductOfMatrices(Operation *op) {
  return llvm::all_of(std::array<unsigned, 2>{0, 1}, [&](unsigned i) {
    Value operand = operandOf(op, i);
    return operand && tensorType(operand).getRank() >= 2;
  });
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
  // Of a vector there is no dimension in the result of a product.
  if (name == "MatMul")
    return isProductOfMatrices(op) ? aligned(op, dim + 1 == rank ? 1 : 0, dim)
                                   : Extent{};
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
  auto starts = numbersOf(op->getOperand(1)),
       ends = numbersOf(op->getOperand(2));
  auto axes = given(3) ? numbersOf(op->getOperand(3))
                       : llvm::to_vector(llvm::seq<int64_t>(from.getRank()));
  auto steps =
      given(4) ? numbersOf(op->getOperand(4)) : SmallVector<int64_t>(1, 1);
  if (!starts || !axes || !steps || axes->size() < starts->size() ||
      llvm::any_of(*steps, [](int64_t step) { return step != 1; }))
    return nullptr;
  SmallVector<int64_t> all(from.getRank(), 0);
  llvm::SmallDenseSet<int64_t> cut;
  for (auto [i, start, axis] : llvm::enumerate(*starts, *axes)) {
    int64_t dim = axis < 0 ? axis + from.getRank() : axis;
    if (dim < 0 || dim >= from.getRank() ||
        (start < 0 && from.isDynamicDim(dim)))
      return nullptr;
    // Exporters write an end that no size reaches for all the rest.
    if (!ends || i >= ends->size() || start != 0 || (*ends)[i] < INT32_MAX)
      cut.insert(dim);
    all[dim] =
        start < 0 ? std::max<int64_t>(start + from.getDimSize(dim), 0) : start;
  }
  return sliced(graph, op->getOperand(0), all, at,
                [&](int64_t dim) { return !cut.contains(dim); });
}

Expr *mlir::fa::raising::onnxConcat(Graph &graph, OpResult result,
                                    const Coords &at) {
  Operation *op = result.getOwner();
  auto axis = integerOf(op, "axis");
  return axis ? concatenated(graph, op->getOperands(), *axis, at) : nullptr;
}
