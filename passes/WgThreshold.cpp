// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values: a row's reference moves only for a score that passes it by more than
// 2^T. Exponents may be taken against any reference that is not far below the
// row's maximum; a reference that stays needs no rescale, and a warp in which
// all stay needs no exchange either.
//
// What joined the maximum of a tile's scores to the reference, max(m, mx),
// reads the new reference instead: it comes from a branch that few tiles take,
// and is m in all rows that do not ask.
#include "dialect/Fa/FaDialect.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGTHRESHOLD
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// The maximum of a tile of scores in a step of online softmax.
struct RowMax {
  wg::ReduceRowsOp reduce;
  /// The row's reference up to here.
  Value reference;
  /// What exponents multiply differences of scores by, in front of exp2.
  Value factor;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// A maximum that only joins one reference, of scores whose exponents are
/// taken with one factor.
static std::optional<RowMax> match(wg::ReduceRowsOp reduce) {
  RowMax found{reduce, {}, {}};
  auto type = cast<wg::RowsType>(reduce.getResult().getType());
  if (reduce.getKind() != wg::Combine::MaximumF || type.getPartial() ||
      !isSplatOf(reduce.getInit(), m_NegInfFloat()))
    return std::nullopt;
  for (Operation *user : reduce.getResult().getUsers()) {
    auto map = dyn_cast<wg::MapOp>(user);
    if (!map || map.getOperands().size() != 2)
      return std::nullopt;
    Value other = map.getOperands()[map.getOperands()[0] == reduce.getResult()];
    if (found.reference && other != found.reference)
      return std::nullopt;
    found.reference = other;
    if (!joinsFirst(map))
      return std::nullopt;
  }
  for (Operation *user : reduce.getFrag().getUsers())
    if (auto map = dyn_cast<wg::MapOp>(user))
      if (std::optional<ScaledPower> power = matchScaledPower(map);
          power && power->x == reduce.getFrag())
        found.factor = power->factor;
  if (!found.reference || !found.factor || found.reference.getType() != type)
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// The rare branch
//===----------------------------------------------------------------------===//

static Value constant(OpBuilder &b, Location loc, float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

/// How far scores may pass the reference: T / factor, in front of the loops in
/// which it is the same. A factor near zero would give infinity, which no limit
/// may be.
static Value slack(RowMax found, int64_t bits) {
  Operation *place = found.reduce;
  for (auto loop = place->getParentOfType<scf::ForOp>();
       loop && loop.isDefinedOutsideOfLoop(found.factor);
       loop = loop->getParentOfType<scf::ForOp>())
    place = loop;
  OpBuilder b(place);
  Location loc = found.reduce.getLoc();
  Value steps = constant(b, loc, bits);
  Value wide = arith::DivFOp::create(b, loc, steps, found.factor);
  return arith::MinNumFOp::create(b, loc, wide, constant(b, loc, 1e30f));
}

/// The branch that gives each row its reference: scores' maximum in the rows
/// where it passes `limit`, and else what it was.
static Value newReference(OpBuilder &b, RowMax found, Value part, Value limit) {
  Location loc = found.reduce.getLoc();
  auto over = [&](OpBuilder &inner, Value x, Value bound) -> Value {
    return arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OGT, x,
                                 bound);
  };
  Value vote =
      buildVote(b, loc, {part, limit}, [&](OpBuilder &inner, ValueRange args) {
        return over(inner, args[0], args[1]);
      });
  auto branch = scf::IfOp::create(b, loc, found.reference.getType(), vote,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder inner = branch.getThenBodyBuilder();
  Value whole = wg::JoinRowsOp::create(inner, loc, part);
  Value moved = buildMap(
      inner, loc, found.reference.getType(), {found.reference, whole, limit},
      [&](OpBuilder &at, ValueRange args) -> Value {
        Value passes = over(at, args[1], args[2]);
        return arith::SelectOp::create(at, loc, passes, args[1], args[0]);
      });
  scf::YieldOp::create(inner, loc, moved);
  inner = branch.getElseBodyBuilder();
  scf::YieldOp::create(inner, loc, found.reference);
  return branch.getResult(0);
}

static void makeRare(RowMax found, int64_t bits) {
  wg::ReduceRowsOp reduce = found.reduce;
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  auto rows = cast<wg::RowsType>(reduce.getResult().getType());
  auto parts = wg::RowsType::get(rows.getRows(), rows.getElementType(),
                                 rows.getWarps(), wg::Combine::MaximumF);
  moveInFront(found.factor.getDefiningOp(), reduce);
  Value most = slack(found, bits);
  Value limit =
      buildMap(b, loc, found.reference.getType(), found.reference,
               [&](OpBuilder &inner, ValueRange args) -> Value {
                 return arith::AddFOp::create(inner, loc, args[0], most);
               });
  Value lows = wg::SplatOp::create(b, loc, parts, constant(b, loc, -INFINITY));
  Value part = wg::ReduceRowsOp::create(b, loc, parts, wg::Combine::MaximumF,
                                        reduce.getFrag(), lows);
  Value reference = newReference(b, found, part, limit);
  for (Operation *user : llvm::make_early_inc_range(reduce->getUsers()))
    replaceJoin(cast<wg::MapOp>(user), reference);
  reduce.erase();
}

namespace {
struct ThresholdPass : mlir::fa::impl::WgThresholdBase<ThresholdPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      ScheduleAttr schedule = scheduleOf(kernel);
      if (!schedule || !schedule.getThreshold())
        continue;
      for (wg::ReduceRowsOp reduce : findOps<wg::ReduceRowsOp>(kernel))
        if (std::optional<RowMax> found = match(reduce))
          makeRare(*found, schedule.getThreshold());
    }
  }
};
} // namespace
