// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/MaskStep.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

static bool isCoordinate(Value value, uint64_t dim) {
  auto op = value.getDefiningOp<linalg::IndexOp>();
  return op && op.getDim() == dim;
}

FailureOr<Value> mlir::fa::matchCoordinate(Value value, uint64_t dim) {
  if (isCoordinate(value, dim))
    return Value();
  auto add = value.getDefiningOp<arith::AddIOp>();
  if (add && isCoordinate(add.getRhs(), dim))
    return add.getLhs();
  if (add && isCoordinate(add.getLhs(), dim))
    return add.getRhs();
  return failure();
}

/// Whether `generic` does nothing but put -inf where `keep` is false: only then
/// may it be left out for a tile that is kept, and a tile without a kept
/// position be skipped.
static bool onlyMasks(linalg::GenericOp generic, KeepOp keep) {
  if (generic.getNumDpsInits() != 1 || generic.getNumReductionLoops() != 0 ||
      !generic.getIndexingMapsArray().back().isIdentity())
    return false;
  Block &body = generic.getRegion().front();
  auto choice =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  return choice && choice.getCondition() == keep.getKept() &&
         choice.getTrueValue() == body.getArguments().back() &&
         matchPattern(choice.getFalseValue(), m_NegInfFloat());
}

std::optional<MaskStep> mlir::fa::matchMaskStep(KeepOp keep) {
  auto generic = dyn_cast<linalg::GenericOp>(keep->getParentOp());
  if (!generic || !onlyMasks(generic, keep))
    return std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(generic->getParentOp());
  auto type = dyn_cast<RankedTensorType>(generic.getResult(0).getType());
  if (!loop || !type || type.getRank() != 2 || !type.hasStaticShape())
    return std::nullopt;
  FailureOr<Value> firstQuery = matchCoordinate(keep.getI(), 0);
  FailureOr<Value> firstKey = matchCoordinate(keep.getJ(), 1);
  if (failed(firstQuery) || failed(firstKey) ||
      *firstKey != loop.getInductionVar() ||
      (*firstQuery && !loop.isDefinedOutsideOfLoop(*firstQuery)) ||
      !loop.isDefinedOutsideOfLoop(keep.getSq()) ||
      !loop.isDefinedOutsideOfLoop(keep.getSk()) ||
      getConstantIntValue(loop.getStep()) != type.getDimSize(1))
    return std::nullopt;
  return MaskStep{
      loop, generic, keep, *firstQuery, type.getDimSize(0), type.getDimSize(1)};
}
