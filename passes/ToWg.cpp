// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel as a whole: types, loops and branches, and which op goes where.
#include "passes/ToWg.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

/// tensor<rows x columns> is a fragment, tensor<rows> a row vector.
FailureOr<Type> ToWgConverter::convertType(Type type, Location loc) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  ArrayRef<int64_t> shape = tensor.getShape();
  bool fits =
      tensor.hasStaticShape() && !shape.empty() && shape.size() <= 2 &&
      shape[0] % (16 * warps) == 0 &&
      (shape.size() == 1 ? tensor.getElementType().isF32() : shape[1] % 8 == 0);
  if (!fits)
    return emitError(loc)
           << "expects a tile of static shape, its rows a "
              "multiple of 16 for each of the "
           << warps << " warps and its columns of 8 (or a vector of f32), got "
           << type;
  Type element = tensor.getElementType();
  if (shape.size() == 1)
    return Type(wg::RowsType::get(shape[0], element, warps));
  auto frag = wg::FragType::getChecked([&] { return emitError(loc); },
                                       loc.getContext(), shape[0], shape[1],
                                       element, wg::FragLayout::Acc, warps);
  if (!frag)
    return failure();
  return Type(frag);
}

/// The fragment or row vector that stands for `tensor`.
FailureOr<Value> ToWgConverter::fragment(Value tensor, Location loc) {
  Value value = mapping.lookupOrNull(tensor);
  if (value && isa<wg::FragType, wg::RowsType>(value.getType()))
    return value;
  return emitError(loc) << "expects an operand that was computed in the "
                           "kernel, got "
                        << tensor;
}

/// What a loop or a branch takes or yields: fragments in the place of tensors.
LogicalResult
ToWgConverter::convertOperands(OperandRange operands, Location loc,
                               SmallVectorImpl<Value> &converted) {
  for (Value operand : operands) {
    if (isTensor(operand) && failed(fragment(operand, loc)))
      return failure();
    converted.push_back(mapping.lookupOrDefault(operand));
  }
  return success();
}

LogicalResult ToWgConverter::convert(scf::ForOp op) {
  SmallVector<Value> inits;
  if (failed(convertOperands(op.getInitArgs(), op.getLoc(), inits)))
    return failure();
  auto made = scf::ForOp::create(b, op.getLoc(),
                                 mapping.lookupOrDefault(op.getLowerBound()),
                                 mapping.lookupOrDefault(op.getUpperBound()),
                                 mapping.lookupOrDefault(op.getStep()), inits);
  mapping.map(op.getBody()->getArguments(), made.getBody()->getArguments());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(made.getBody());
  // The builder ends a loop that carries nothing by itself.
  if (inits.empty())
    b.setInsertionPoint(made.getBody()->getTerminator());
  if (failed(convertBlock(*op.getBody())))
    return failure();
  if (!inits.empty()) {
    auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
    SmallVector<Value> yielded;
    if (failed(convertOperands(yield.getOperands(), op.getLoc(), yielded)))
      return failure();
    scf::YieldOp::create(b, op.getLoc(), yielded);
  }
  mapping.map(op.getResults(), made.getResults());
  return success();
}

LogicalResult ToWgConverter::convert(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    FailureOr<Type> converted = convertType(type, op.getLoc());
    if (failed(converted))
      return failure();
    types.push_back(*converted);
  }
  bool hasElse = !op.getElseRegion().empty();
  auto made = scf::IfOp::create(b, op.getLoc(), types,
                                mapping.lookupOrDefault(op.getCondition()),
                                /*addThenBlock=*/true, hasElse);
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    b.setInsertionPointToEnd(&to.front());
    if (failed(convertBlock(from.front())))
      return failure();
    SmallVector<Value> yielded;
    if (failed(convertOperands(from.front().getTerminator()->getOperands(),
                               op.getLoc(), yielded)))
      return failure();
    scf::YieldOp::create(b, op.getLoc(), yielded);
  }
  mapping.map(op.getResults(), made.getResults());
  return success();
}

/// What has nothing to do with tiles stays as it is.
LogicalResult ToWgConverter::copy(Operation *op) {
  WalkResult onTensors = op->walk([](Operation *inner) {
    bool any = llvm::any_of(inner->getOperands(), isTensor) ||
               llvm::any_of(inner->getResults(), isTensor);
    return any ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (onTensors.wasInterrupted())
    return op->emitOpError() << "on tensors has no form at stage values";
  b.clone(*op, mapping);
  return success();
}

LogicalResult ToWgConverter::convertOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      // These name storage or a part of a tile; their users say what becomes of
      // it.
      .Case<tensor::EmptyOp, tensor::ExtractSliceOp>(
          [](auto) { return success(); })
      .Case<bufferization::ToTensorOp, tensor::PadOp, tensor::CastOp,
            bufferization::MaterializeInDestinationOp, linalg::FillOp,
            linalg::MatmulOp, linalg::GenericOp, scf::ForOp, scf::IfOp>(
          [&](auto op) { return convert(op); })
      .Default([&](Operation *op) { return copy(op); });
}

LogicalResult ToWgConverter::convertBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convertOp(&op)))
      return failure();
  return success();
}

LogicalResult ToWgConverter::run() {
  Block &old = kernel.getBody().front();
  Block *made = b.createBlock(&kernel.getBody(), kernel.getBody().end());
  for (BlockArgument argument : old.getArguments())
    mapping.map(argument,
                made->addArgument(argument.getType(), argument.getLoc()));
  b.setInsertionPointToEnd(made);
  if (failed(convertBlock(old)))
    return failure();
  gpu::ReturnOp::create(b, old.getTerminator()->getLoc());
  old.dropAllReferences();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(old))) {
    op.dropAllUses();
    op.erase();
  }
  old.erase();
  return success();
}
