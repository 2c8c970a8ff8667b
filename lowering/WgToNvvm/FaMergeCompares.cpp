// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mask with two upper limits (the diagonal and the number of keys, say) asks
// each element for both. The smaller of the limits is the same for a whole row.
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAMERGECOMPARES
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {

/// `value <= limit` or `value >= limit`, of 32-bit integers.
struct Limit {
  Value value;
  int64_t limit;
  bool isUpper;
};

std::optional<Limit> limitOf(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  IntegerAttr limit;
  if (!compare || !compare.getLhs().getType().isInteger(32) ||
      !matchPattern(compare.getRhs(), m_Constant(&limit)))
    return std::nullopt;
  bool isUpper, isStrict;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::slt:
    isUpper = true;
    isStrict = compare.getPredicate() == arith::CmpIPredicate::slt;
    break;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::sgt:
    isUpper = false;
    isStrict = compare.getPredicate() == arith::CmpIPredicate::sgt;
    break;
  default:
    return std::nullopt;
  }
  int64_t inclusive = limit.getInt() + (isUpper ? -1 : 1) * isStrict;
  if (!llvm::isInt<32>(inclusive))
    return std::nullopt;
  return Limit{compare.getLhs(), inclusive, isUpper};
}

/// A conjunction `a <= c and b <= c + apart`: c differs from element to
/// element, the rest does not.
struct Pair {
  arith::AndIOp both;
  int64_t limit;
};
/// a, b, apart, whether it is a conjunction of upper limits, and where it
/// stands.
using Key = std::tuple<Value, Value, int64_t, int, Block *>;

struct FaMergeCompares : mlir::fa::impl::FaMergeComparesBase<FaMergeCompares> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      // What is merged may be merged once more.
      while (mergeOnce(module))
        ;
  }

private:
  /// Fewer elements than that are not worth the common minimum.
  static constexpr size_t kWorthwhile = 4;

  bool mergeOnce(gpu::GPUModuleOp module) {
    llvm::MapVector<Key, SmallVector<Pair>> groups;
    module.walk([&](arith::AndIOp both) {
      if (!both.getType().isInteger(1))
        return;
      std::optional<Limit> a = limitOf(both.getLhs()),
                           b = limitOf(both.getRhs());
      if (a && b && a->isUpper == b->isUpper)
        groups[{a->value, b->value, b->limit - a->limit, a->isUpper,
                both->getBlock()}]
            .push_back({both, a->limit});
    });
    groups.remove_if(
        [](auto &group) { return group.second.size() < kWorthwhile; });
    if (groups.empty())
      return false;

    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(module)))
      return false;
    bool merged = false;
    for (auto &[key, pairs] : groups)
      merged |= merge(solver, key, pairs);
    return merged;
  }

  /// Whether `value - apart` is surely a 32-bit integer.
  static bool fits(DataFlowSolver &solver, Value value, int64_t apart) {
    auto *range = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!range || range->getValue().isUninitialized())
      return false;
    ConstantIntRanges known = range->getValue().getValue();
    return llvm::isInt<32>(known.smin().getSExtValue() - apart) &&
           llvm::isInt<32>(known.smax().getSExtValue() - apart);
  }

  static bool merge(DataFlowSolver &solver, const Key &key,
                    ArrayRef<Pair> pairs) {
    auto [a, b, apart, isUpper, block] = key;
    if (!fits(solver, b, apart))
      return false;
    // Both values are known where the first pair stands, whose comparisons read
    // them.
    Operation *first = pairs[0].both;
    ImplicitLocOpBuilder builder(first->getLoc(), first);
    Type type = builder.getI32Type();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(builder, type, value);
    };
    Value moved = builder.createOrFold<arith::SubIOp>(b, constant(apart));
    Value both = isUpper ? Value(arith::MaxSIOp::create(builder, a, moved))
                         : Value(arith::MinSIOp::create(builder, a, moved));
    for (Pair pair : pairs) {
      builder.setInsertionPoint(pair.both);
      auto predicate =
          isUpper ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge;
      Value result =
          arith::CmpIOp::create(builder, predicate, both, constant(pair.limit));
      pair.both.getResult().replaceAllUsesWith(result);
      pair.both.erase();
    }
    return true;
  }
};

} // namespace
