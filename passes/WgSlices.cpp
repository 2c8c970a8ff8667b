// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WgSlices.h"

#include "passes/ManifestBuilder.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// From a view to its tensor
//===----------------------------------------------------------------------===//

static OpFoldResult add(OpBuilder &b, Location loc, OpFoldResult x,
                        OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return b.getIndexAttr(*cx + *cy);
  if (cx == 0)
    return y;
  if (cy == 0)
    return x;
  Value vx = getValueOrCreateConstantIndexOp(b, loc, x);
  Value vy = getValueOrCreateConstantIndexOp(b, loc, y);
  return arith::AddIOp::create(b, loc, vx, vy).getResult();
}

namespace {
/// Follows a view up to its tensor.
struct ViewWalk {
  OpBuilder &b;
  SmallVector<OpFoldResult> offsets;
  /// The dimensions of the current view that the rows and columns run along.
  unsigned row = 0, column = 1;

  bool through(memref::SubViewOp view);
  bool through(memref::ExpandShapeOp view);
};
} // namespace

bool ViewWalk::through(memref::SubViewOp view) {
  if (!view.hasUnitStride())
    return false;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<OpFoldResult> outer = view.getMixedOffsets();
  SmallVector<unsigned> outerDim;
  for (unsigned dim = 0; dim < outer.size(); ++dim) {
    if (dropped.test(dim))
      continue;
    outer[dim] = add(b, view.getLoc(), outer[dim], offsets[outerDim.size()]);
    outerDim.push_back(dim);
  }
  offsets = outer;
  row = outerDim[row];
  column = outerDim[column];
  return true;
}

/// Each dimension of the source has become one dimension and units.
bool ViewWalk::through(memref::ExpandShapeOp view) {
  ArrayRef<int64_t> shape = view.getResultType().getShape();
  SmallVector<OpFoldResult> outer;
  unsigned outerRow = 0, outerColumn = 0;
  for (auto [dim, group] : llvm::enumerate(view.getReassociationIndices())) {
    int64_t kept = group.back();
    for (int64_t inner : group)
      if (shape[inner] != 1)
        kept = inner;
    for (int64_t inner : group) {
      if (inner == kept)
        continue;
      if (shape[inner] != 1)
        return false;
      if (inner == row || inner == column)
        return false;
    }
    outer.push_back(offsets[kept]);
    if (kept == row)
      outerRow = dim;
    if (kept == column)
      outerColumn = dim;
  }
  offsets = outer;
  row = outerRow;
  column = outerColumn;
  return true;
}

std::optional<RowSlice> mlir::fa::findRowSlice(OpBuilder &b, Value view) {
  ViewWalk walk{b, SmallVector<OpFoldResult>(2, b.getIndexAttr(0))};
  while (Operation *op = view.getDefiningOp()) {
    if (auto subview = dyn_cast<memref::SubViewOp>(op)) {
      if (!walk.through(subview))
        return std::nullopt;
    } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      if (!walk.through(expand))
        return std::nullopt;
    } else if (!isa<memref::CastOp>(op)) {
      break;
    }
    view = op->getOperand(0);
  }
  auto tensor = view.getDefiningOp<memref::ReinterpretCastOp>();
  if (!tensor || !isa<BlockArgument>(tensor.getSource()) ||
      !isConstantIntValue(tensor.getMixedOffsets()[0], 0) ||
      walk.column + 1 != walk.offsets.size() || walk.row == walk.column ||
      !isConstantIntValue(walk.offsets.back(), 0))
    return std::nullopt;
  return RowSlice{tensor, walk.offsets, walk.row};
}

//===----------------------------------------------------------------------===//
// Where rows end
//===----------------------------------------------------------------------===//

namespace {
/// Index values as affine expressions over the values that they come from.
class LinearForms {
public:
  explicit LinearForms(MLIRContext *context) : context(context) {}

  AffineExpr of(Value value);
  AffineExpr of(OpFoldResult value);
  /// Expressions of which `value` is not less than the least.
  SmallVector<AffineExpr> ofMinimum(Value value);
  /// Whether `expr` is certainly 0 or more.
  bool isNeverNegative(AffineExpr expr);

private:
  AffineExpr compose(AffineExpr expr, unsigned dims, ValueRange operands);
  AffineExpr constant(int64_t value) {
    return getAffineConstantExpr(value, context);
  }

  MLIRContext *context;
  llvm::MapVector<Value, unsigned> symbols;
};
} // namespace

AffineExpr LinearForms::of(OpFoldResult value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constant(*number);
  return of(cast<Value>(value));
}

AffineExpr LinearForms::compose(AffineExpr expr, unsigned dims,
                                ValueRange operands) {
  SmallVector<AffineExpr> forms;
  for (Value operand : operands)
    forms.push_back(of(operand));
  ArrayRef<AffineExpr> all(forms);
  return expr.replaceDimsAndSymbols(all.take_front(dims), all.drop_front(dims));
}

AffineExpr LinearForms::of(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constant(*number);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp>(op))
    return of(op->getOperand(0)) + of(op->getOperand(1));
  if (isa_and_nonnull<arith::SubIOp>(op))
    return of(op->getOperand(0)) - of(op->getOperand(1));
  if (isa_and_nonnull<arith::MulIOp>(op))
    if (std::optional<int64_t> factor = getConstantIntValue(op->getOperand(1)))
      return of(op->getOperand(0)) * *factor;
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return compose(apply.getAffineMap().getResult(0),
                   apply.getAffineMap().getNumDims(), apply.getMapOperands());
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op))
    if (auto tensor =
            dim.getSource().getDefiningOp<memref::ReinterpretCastOp>())
      if (std::optional<int64_t> number = dim.getConstantIndex())
        return of(tensor.getMixedSizes()[*number]);
  unsigned next = symbols.size();
  return getAffineSymbolExpr(symbols.insert({value, next}).first->second,
                             context);
}

SmallVector<AffineExpr> LinearForms::ofMinimum(Value value) {
  SmallVector<AffineExpr> forms;
  Operation *op = value.getDefiningOp();
  if (auto least = dyn_cast_or_null<affine::AffineMinOp>(op)) {
    AffineMap map = least.getMap();
    for (AffineExpr expr : map.getResults())
      forms.push_back(compose(expr, map.getNumDims(), least.getOperands()));
  } else if (isa_and_nonnull<arith::MinSIOp>(op)) {
    for (Value operand : op->getOperands())
      llvm::append_range(forms, ofMinimum(operand));
  } else if (isa_and_nonnull<arith::SubIOp>(op)) {
    for (AffineExpr form : ofMinimum(op->getOperand(0)))
      forms.push_back(form - of(op->getOperand(1)));
  } else if (isa_and_nonnull<arith::MaxSIOp>(op)) {
    // Not less than either.
    return ofMinimum(op->getOperand(
        getConstantIntValue(op->getOperand(0)).has_value() ? 1 : 0));
  } else {
    forms.push_back(of(value));
  }
  return forms;
}

/// Only the number of a role's warpgroup has a known range: at both its ends
/// the expression, which is linear in it, must be a constant from 0 on.
bool LinearForms::isNeverNegative(AffineExpr expr) {
  for (bool atEnd : {false, true}) {
    SmallVector<AffineExpr> values;
    for (auto [value, number] : symbols) {
      auto argument = dyn_cast<BlockArgument>(value);
      auto role =
          argument
              ? dyn_cast_or_null<wg::RoleOp>(argument.getOwner()->getParentOp())
              : wg::RoleOp();
      if (role)
        values.push_back(constant(atEnd ? role.getWarpgroups() - 1 : 0));
      else
        values.push_back(getAffineSymbolExpr(number, context));
    }
    auto simple = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceSymbols(values), 0, symbols.size()));
    if (!simple || simple.getValue() < 0)
      return false;
  }
  return true;
}

bool mlir::fa::endsWithTensor(const RowSlice &slice, Value count,
                              int64_t rows) {
  memref::ReinterpretCastOp tensor = slice.tensor;
  LinearForms forms(tensor.getContext());
  AffineExpr left = forms.of(tensor.getMixedSizes()[slice.rowDim]) -
                    forms.of(slice.offsets[slice.rowDim]);
  return llvm::all_of(forms.ofMinimum(count), [&](AffineExpr bound) {
    return forms.isNeverNegative(bound - left) ||
           forms.isNeverNegative(bound - rows);
  });
}

//===----------------------------------------------------------------------===//
// The kernel's arguments
//===----------------------------------------------------------------------===//

/// What only described the tensors that now have maps goes.
static void dropUnused(gpu::GPUFuncOp kernel) {
  for (memref::DimOp dim : findOps<memref::DimOp>(kernel)) {
    auto tensor = dim.getSource().getDefiningOp<memref::ReinterpretCastOp>();
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!tensor || !number)
      continue;
    OpBuilder b(dim);
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(
        b, dim.getLoc(), tensor.getMixedSizes()[*number]));
  }
  // Readers before what they read, and what is inside of an op before the op.
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  for (unsigned i = kernel.getNumArguments(); i-- > 0;)
    if (kernel.getArgument(i).use_empty() && kernel.getArgAttr(i, kParamAttr))
      (void)kernel.eraseArgument(i);
}

void mlir::fa::updateTensorMaps(ModuleOp module, gpu::GPUFuncOp kernel) {
  dropUnused(kernel);
  SmallVector<Attribute> params;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (Attribute param = kernel.getArgAttr(i, kParamAttr))
      params.push_back(param);
  if (params.size() != kernel.getNumArguments())
    return;
  ManifestBuilder manifest(module.getContext());
  replaceKernelEntry(module, kernel.getName(), [&](NamedAttrList fields) {
    fields.set("params", manifest.params(params, kernel.getArgumentTypes()));
    return KernelEntries{fields};
  });
}
