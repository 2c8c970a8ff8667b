// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills, products, maps and reductions of tiles.
#include "passes/ToWg.h"

#include "dialect/Wg/WgOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fa;

LogicalResult ToWgConverter::convert(linalg::FillOp op) {
  FailureOr<Type> type = convertType(op.getResult(0).getType(), op.getLoc());
  if (failed(type))
    return failure();
  Value value = mapping.lookupOrDefault(op.getInputs()[0]);
  mapping.map(op.getResult(0),
              wg::SplatOp::create(b, op.getLoc(), *type, value).getResult());
  return success();
}

/// The left operand comes from shared memory or, as the A operand of a product,
/// from registers; the right one from shared memory.
LogicalResult ToWgConverter::convert(linalg::MatmulOp op) {
  AffineExpr m, n, k;
  bindDims(op.getContext(), m, n, k);
  auto map = [&](AffineExpr x, AffineExpr y) {
    return AffineMap::get(3, 0, {x, y}, op.getContext());
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool transposed = maps[1] == map(n, k);
  if (maps[0] != map(m, k) || maps[2] != map(m, n) ||
      (!transposed && maps[1] != map(k, n)))
    return op.emitOpError()
           << "expects (m, k) x (k, n) or (m, k) x (n, k), got "
           << op.getIndexingMapsAttr();
  Value a = mapping.lookupOrNull(op.getInputs()[0]);
  Value right = mapping.lookupOrNull(op.getInputs()[1]);
  FailureOr<Value> init = fragment(op.getOutputs()[0], op.getLoc());
  if (!a || !right || failed(init) || !isa<wg::SmemType>(right.getType()))
    return op.emitOpError() << "expects a right operand that is loaded from "
                               "memory and operands of this kernel";
  auto frag = dyn_cast<wg::FragType>(a.getType());
  if (frag && !frag.getElementType().isF16() && !frag.getElementType().isBF16())
    return op.emitOpError() << "expects a left operand of f16 or bf16, got "
                            << op.getInputs()[0].getType();
  if (frag)
    a = wg::RelayoutOp::create(b, op.getLoc(),
                               frag.withLayout(wg::FragLayout::A), a);
  mapping.map(op.getResult(0),
              wg::MmaOp::create(b, op.getLoc(), init->getType(), a, right,
                                *init, transposed)
                  .getResult());
  return success();
}

LogicalResult ToWgConverter::convert(linalg::GenericOp op) {
  if (op.getNumResults() != 1)
    return op.emitOpError() << "expects one result, got " << op.getNumResults();
  if (op.getNumReductionLoops() == 0)
    return convertMap(op);
  return convertReduction(op);
}

/// The operands that a map reads and the elements that its body knows them by.
LogicalResult
ToWgConverter::findMapOperands(linalg::GenericOp op,
                               SmallVectorImpl<Value> &operands,
                               SmallVectorImpl<BlockArgument> &elements) {
  auto identity =
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument element = op.getMatchingBlockArgument(&operand);
    if (element.use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() == 0 ||
        map != identity.getMajorSubMap(map.getNumResults()))
      return op.emitOpError() << "expects operands indexed as the tile or by "
                                 "its row, got "
                              << AffineMapAttr::get(map);
    FailureOr<Value> value = fragment(operand.get(), op.getLoc());
    if (failed(value))
      return failure();
    operands.push_back(*value);
    elements.push_back(element);
  }
  return success();
}

/// Elementwise: each operand is the tile's own element, or its row's.
LogicalResult ToWgConverter::convertMap(linalg::GenericOp op) {
  Location loc = op.getLoc();
  FailureOr<Type> type = convertType(op.getResult(0).getType(), loc);
  if (failed(type))
    return failure();
  AffineMap result = op.getIndexingMapsArray().back();
  if (!result.isIdentity())
    return op.emitOpError() << "expects a result indexed as the tile, got "
                            << AffineMapAttr::get(result);
  SmallVector<Value> operands;
  SmallVector<BlockArgument> elements;
  if (failed(findMapOperands(op, operands, elements)))
    return failure();
  auto made = wg::MapOp::create(b, loc, *type, operands);
  Block *block = b.createBlock(&made.getBody());
  for (BlockArgument element : elements)
    mapping.map(element, block->addArgument(element.getType(), loc));
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    block->addArgument(b.getIndexType(), loc);
  Block &body = op.getRegion().front();
  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(),
                  block->getArgument(elements.size() + index.getDim()));
      continue;
    }
    b.clone(inner, mapping);
  }
  Value yielded = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  wg::YieldOp::create(b, loc, ValueRange{yielded});
  b.setInsertionPointAfter(made);
  mapping.map(op.getResult(0), made.getResult());
  return success();
}

/// How `op` joins the elements of each row to the row's value; nothing where it
/// does something else.
static std::optional<wg::Combine> matchReduction(linalg::GenericOp op) {
  AffineExpr row, column;
  bindDims(op.getContext(), row, column);
  Block &body = op.getRegion().front();
  bool form = op.getNumLoops() == 2 && op.getInputs().size() == 1 &&
              op.getIteratorTypesArray()[1] == utils::IteratorType::reduction &&
              op.getIndexingMapsArray()[0].isIdentity() &&
              op.getIndexingMapsArray()[1] ==
                  AffineMap::get(2, 0, {row}, op.getContext()) &&
              llvm::hasNItems(body, 2);
  Operation *combine = &body.front();
  bool joins =
      form && combine->getNumOperands() == 2 &&
      body.getTerminator()->getOperand(0).getDefiningOp() == combine &&
      llvm::is_contained(combine->getOperands(), body.getArgument(0)) &&
      llvm::is_contained(combine->getOperands(), body.getArgument(1));
  if (joins && isa<arith::AddFOp>(combine))
    return wg::Combine::AddF;
  if (joins && isa<arith::MaximumFOp>(combine))
    return wg::Combine::MaximumF;
  return std::nullopt;
}

/// The value of each row joined to its elements.
LogicalResult ToWgConverter::convertReduction(linalg::GenericOp op) {
  std::optional<wg::Combine> kind = matchReduction(op);
  if (!kind)
    return op.emitOpError() << "expects a sum (arith.addf) or a maximum "
                               "(arith.maximumf) along the rows of one tile";
  FailureOr<Value> tile = fragment(op.getInputs()[0], op.getLoc());
  FailureOr<Value> init = fragment(op.getOutputs()[0], op.getLoc());
  if (failed(tile) || failed(init))
    return failure();
  mapping.map(op.getResult(0),
              wg::ReduceRowsOp::create(b, op.getLoc(), init->getType(), *kind,
                                       *tile, *init)
                  .getResult());
  return success();
}
