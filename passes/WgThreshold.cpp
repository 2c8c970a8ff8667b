// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// values: a row's reference moves only for a score that passes it by more than
// 2^T. Exponents may be taken against any reference that is not far below the
// row's maximum; a reference that stays needs no rescale, and a warp in which
// all stay needs no exchange either.
//
// What joined the maximum of a tile's scores to the reference, max(m, mx),
// reads the new reference instead: it comes from a branch that few tiles take,
// and is m in all rows that do not ask. A reference that is set stands a little
// above the row's maximum, so that it stays longer where maxima grow: where
// exponentials are rounded to bf16. In f16 they have no bits below 2^-24, and
// many keys that are as far below one other would be lost.
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

/// How far above the row's maximum a reference may be set, in log2 units: what
/// the op's definition leaves to kernels.
static constexpr int64_t kLift = 4;

namespace {
/// The maximum of a tile of scores in a step of online softmax.
struct RowMax {
  wg::ReduceRowsOp reduce;
  /// The row's reference up to here.
  Value reference;
  /// What exponents multiply differences of scores by, in front of exp2.
  Value factor;
  /// How far above the maximum the reference is set.
  int64_t lift;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

/// Whether `exponentials` are read as bf16, but for their sums.
static bool areRoundedToBf16(wg::MapOp exponentials) {
  return llvm::all_of(exponentials->getUsers(), [](Operation *user) {
    auto map = dyn_cast<wg::MapOp>(user);
    return isa<wg::ReduceRowsOp>(user) ||
           (map && wg::elementTypeOf(map.getType()).isBF16());
  });
}

/// A maximum that only joins one reference, of scores whose exponents are
/// taken with one factor.
static std::optional<RowMax> match(wg::ReduceRowsOp reduce) {
  RowMax found{reduce, {}, {}, 0};
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
          power && power->x == reduce.getFrag()) {
        found.factor = power->factor;
        found.lift = areRoundedToBf16(map) ? kLift : 0;
      }
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

/// A difference of scores that makes `bits` of exponents: bits / factor, for
/// use at `place`, in front of the loops in which it is the same. A factor near
/// zero would give infinity, which no limit may be.
static Value slack(RowMax found, Operation *place, int64_t bits) {
  for (auto loop = place->getParentOfType<scf::ForOp>();
       loop && loop.isDefinedOutsideOfLoop(found.factor);
       loop = loop->getParentOfType<scf::ForOp>())
    place = loop;
  moveInFront(found.factor.getDefiningOp(), place);
  OpBuilder b(place);
  Location loc = found.reduce.getLoc();
  Value steps = constant(b, loc, bits);
  Value wide = arith::DivFOp::create(b, loc, steps, found.factor);
  return arith::MinNumFOp::create(b, loc, wide, constant(b, loc, 1e30f));
}

/// The branch that gives each row its reference: what it was, or where scores'
/// maximum passes `limit`, `share` of `most` above that.
static Value newReference(OpBuilder &b, RowMax found, Value part, Value limit,
                          Value most, float share) {
  Location loc = found.reduce.getLoc();
  Value vote = buildVoteForMore(b, loc, part, limit);
  auto branch = scf::IfOp::create(b, loc, found.reference.getType(), vote,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder inner = branch.getThenBodyBuilder();
  Value whole = wg::JoinRowsOp::create(inner, loc, part), next = whole;
  if (share > 0) {
    // From what the limit is made of: nothing more lives over the loop.
    Value lift =
        arith::MulFOp::create(inner, loc, most, constant(inner, loc, share));
    next = buildRaised(inner, loc, whole, lift);
  }
  Value moved = buildMoved(inner, loc, {found.reference, whole, limit, next});
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
  Value most = slack(found, reduce, bits);
  Value limit = buildRaised(b, loc, found.reference, most);
  Value lows = wg::SplatOp::create(b, loc, parts, constant(b, loc, -INFINITY));
  Value part = wg::ReduceRowsOp::create(b, loc, parts, wg::Combine::MaximumF,
                                        reduce.getFrag(), lows);
  Value reference =
      newReference(b, found, part, limit, most, float(found.lift) / bits);
  for (Operation *user : llvm::make_early_inc_range(reduce->getUsers()))
    replaceJoin(cast<wg::MapOp>(user), reference);
  reduce.erase();
}

/// Sets the reference of the first tile, where that stands in front of the loop
/// that carries the reference.
static void raiseFirst(RowMax found) {
  auto carried = dyn_cast<BlockArgument>(found.reference);
  auto loop = carried ? dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp())
                      : scf::ForOp();
  auto first = loop ? loop.getTiedLoopInit(carried)
                          ->get()
                          .getDefiningOp<wg::ReduceRowsOp>()
                    : wg::ReduceRowsOp();
  if (!first || !found.lift)
    return;
  Value lift = slack(found, first, found.lift);
  OpBuilder b(first->getContext());
  b.setInsertionPointAfter(first);
  Value raised = buildRaised(b, first.getLoc(), first.getResult(), lift);
  first.getResult().replaceAllUsesExcept(raised, raised.getDefiningOp());
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
        if (std::optional<RowMax> found = match(reduce)) {
          raiseFirst(*found);
          makeRare(*found, schedule.getThreshold());
        }
    }
  }
};
} // namespace
