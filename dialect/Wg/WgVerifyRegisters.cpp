// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// K8 to K12 and K17 to K19: ops on fragments and rows.
#include "dialect/Wg/WgOps.h"
#include "dialect/Wg/WgVerify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::wg;

//===----------------------------------------------------------------------===//
// Maps and reductions
//===----------------------------------------------------------------------===//

namespace {
/// What fragments and rows have in common.
struct RegisterTile {
  int64_t rows;
  int64_t warps;
  /// Null for rows.
  FragType frag;

  static RegisterTile of(Type type) {
    if (auto frag = dyn_cast<FragType>(type))
      return {frag.getRows(), frag.getWarps(), frag};
    auto rows = cast<RowsType>(type);
    return {rows.getRows(), rows.getWarps(), nullptr};
  }
};
} // namespace

static bool isPartial(Type type) {
  auto rows = dyn_cast<RowsType>(type);
  return rows && rows.getPartial();
}

LogicalResult MapOp::verify() {
  // K8
  RegisterTile result = RegisterTile::of(getType());
  for (Type type : getOperandTypes()) {
    RegisterTile operand = RegisterTile::of(type);
    bool fits = operand.rows == result.rows && operand.warps == result.warps;
    if (operand.frag)
      fits &= result.frag && operand.frag.getCols() == result.frag.getCols() &&
              operand.frag.getLayout() == result.frag.getLayout();
    if (!fits)
      return emitOpError() << "expects operands of the result's rows, columns, "
                              "layout and warps, got "
                           << type << " for " << getType();
  }
  return success();
}

/// Whether `type` is partial rows of kind `kind`.
static bool isPartial(Type type, Combine kind) {
  auto rows = dyn_cast<RowsType>(type);
  return rows && rows.getPartial() == kind;
}

/// Whether `op` is the product of its operand `part` and a whole one.
static bool scales(MapOp op, unsigned part) {
  Block &body = op.getBody().front();
  auto product = op.getYielded().getDefiningOp<arith::MulFOp>();
  return product && body.getOperations().size() == 2 &&
         llvm::count(product->getOperands(), body.getArgument(part)) == 1;
}

/// K10: the maps that are the same for the parts as for what they join to.
static LogicalResult verifyPartialMap(MapOp op) {
  SmallVector<unsigned> partials;
  for (auto [i, type] : llvm::enumerate(op.getOperandTypes()))
    if (isPartial(type))
      partials.push_back(i);
  if (partials.empty() && !isPartial(op.getType()))
    return success();
  bool isOne = partials.size() == 1 &&
               op.getOperands()[partials[0]].getType() == op.getType();
  bool ofSum = isOne && isPartial(op.getType(), Combine::AddF) &&
               scales(op, partials[0]);
  bool ofMaximum = isOne && isPartial(op.getType(), Combine::MaximumF) &&
                   op.getIncreasing() && partials[0] == 0;
  if (!ofSum && !ofMaximum)
    return op.emitOpError()
           << "expects one operand of the result's type where that is partial: "
              "of partial = addf in a body of one arith.mulf, or of partial = "
              "maximumf as the first one of an increasing map";
  return success();
}

LogicalResult MapOp::verifyRegions() {
  // K9
  SmallVector<Type> expected;
  for (Type type : getOperandTypes())
    expected.push_back(elementTypeOf(type));
  expected.append(isa<FragType>(getType()) ? 2 : 1,
                  IndexType::get(getContext()));
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(expected))
    return emitOpError() << "expects region arguments " << TypeRange(expected)
                         << ", got " << body.getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != elementTypeOf(getType()))
    return emitOpError() << "expects its region to end in wg.yield of one "
                         << elementTypeOf(getType());
  if (failed(verifyWritesNothing(*this, body)))
    return failure();
  return verifyPartialMap(*this);
}

LogicalResult ReduceRowsOp::verify() {
  // K11
  FragType frag = getFrag().getType();
  RowsType init = getInit().getType();
  if (frag.getLayout() != FragLayout::Acc || !frag.getElementType().isF32())
    return emitOpError() << "expects an f32 fragment in layout acc, got "
                         << frag;
  if (init.getRows() != frag.getRows() || init.getWarps() != frag.getWarps())
    return emitOpError() << "expects init with the fragment's rows and warps, "
                            "got "
                         << init << " for " << frag;
  bool bits = isOfBits(getKind());
  Combine parts = bits ? Combine::MaximumF : getKind();
  if (init.getPartial() ? *init.getPartial() != parts : bits)
    return emitOpError() << "expects " << (bits ? "" : "whole rows or ")
                         << "partial rows of kind " << stringifyCombine(parts)
                         << ", got " << init;
  return success();
}

LogicalResult RelayoutOp::verify() {
  // K12
  FragType from = getFrag().getType(), to = getResult().getType();
  if (from.getLayout() != FragLayout::Acc ||
      to != from.withLayout(FragLayout::A))
    return emitOpError()
           << "expects layout acc to layout a and nothing else to change, got "
           << from << " to " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// Rows in parts, columns of fragments
//===----------------------------------------------------------------------===//

LogicalResult JoinRowsOp::verify() {
  // K17
  if (!getRows().getType().getPartial())
    return emitOpError() << "expects partial rows, got " << getRows().getType();
  return success();
}

/// The fragment's type with other columns.
static FragType withCols(FragType frag, int64_t cols) {
  return FragType::get(frag.getRows(), cols, frag.getElementType(),
                       frag.getLayout(), frag.getWarps());
}

/// Columns at which a fragment may be cut without cutting an instruction tile.
static int64_t columnStep(FragType frag) {
  return frag.getLayout() == FragLayout::A ? 16 : 8;
}

LogicalResult SliceOp::verify() {
  // K18
  FragType from = getFrag().getType(), to = getResult().getType();
  if (to != withCols(from, to.getCols()))
    return emitOpError() << "expects only the columns to change, got " << from
                         << " to " << to;
  int64_t first = getFirst();
  if (first % columnStep(from) || first + to.getCols() > from.getCols())
    return emitOpError() << "expects " << to.getCols()
                         << " columns inside the fragment, from a multiple of "
                         << columnStep(from) << ", got " << first << " of "
                         << from;
  return success();
}

LogicalResult ConcatOp::verify() {
  // K19
  FragType result = getResult().getType();
  int64_t cols = 0;
  for (Value part : getParts()) {
    auto type = cast<FragType>(part.getType());
    if (type != withCols(result, type.getCols()))
      return emitOpError() << "expects parts that differ from the result in "
                              "columns only, got "
                           << type << " for " << result;
    if (cols % columnStep(result))
      return emitOpError() << "expects all parts but the last in multiples of "
                           << columnStep(result) << " columns, got a part at "
                           << cols;
    cols += type.getCols();
  }
  if (cols != result.getCols())
    return emitOpError() << "expects parts of " << result.getCols()
                         << " columns together, got " << cols;
  return success();
}
