// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks compare coordinates, and coordinates are 64-bit: a query's number, a
// key's number. What differs from one element of a tile to the next is small.
#include "lowering/WgToNvvm/IndexSum.h"
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FANARROWCOMPARES
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using wg::IndexSum;
using wg::kSmall;

namespace {

Value sumOf(wg::Emit &emit, ArrayRef<IndexSum::Term> terms, Value zero) {
  Value sum = zero;
  for (auto [term, sign] : terms) {
    Value value = term.getType() == zero.getType() ? term : emit.toI32(term);
    sum = sign > 0 ? emit.createOrFold<arith::AddIOp>(sum, value)
                   : emit.createOrFold<arith::SubIOp>(sum, value);
  }
  return sum;
}

/// `lhs op rhs` as `large + small op -constant` in 32 bits, where all small and
/// constant terms together are below the bounds that `large` is clamped to.
void narrow(arith::CmpIOp compare, const IndexSum &difference) {
  constexpr int64_t kClamp = 4 * kSmall;
  wg::Emit emit(compare, OpBuilder(compare));
  Value large = sumOf(emit, difference.large, emit.index(0));
  large = emit.createOrFold<arith::MinSIOp>(large, emit.index(kClamp));
  large = emit.createOrFold<arith::MaxSIOp>(large, emit.index(-kClamp));
  large = emit.createOrFold<arith::IndexCastOp>(emit.getI32Type(), large);
  Value sum = sumOf(emit, difference.small, large);
  Value result = arith::CmpIOp::create(emit, compare.getPredicate(), sum,
                                       emit.i32(-difference.constant));
  compare.getResult().replaceAllUsesWith(result);
  compare.erase();
}

/// The same for a comparison of i32 values, where every term is known to be
/// small: what is the same for all elements of a lane comes first, so that an
/// element compares it with a constant.
void reorder(arith::CmpIOp compare, const IndexSum &difference) {
  wg::Emit emit(compare, OpBuilder(compare));
  Value sum = sumOf(emit, difference.clamped, emit.i32(0));
  sum = sumOf(emit, difference.small, sum);
  Value result = arith::CmpIOp::create(emit, compare.getPredicate(), sum,
                                       emit.i32(-difference.constant));
  compare.getResult().replaceAllUsesWith(result);
  compare.erase();
}

struct FaNarrowCompares
    : mlir::fa::impl::FaNarrowComparesBase<FaNarrowCompares> {
  void runOnOperation() override {
    SmallVector<arith::CmpIOp> compares;
    getOperation().walk([&](arith::CmpIOp op) { compares.push_back(op); });
    for (arith::CmpIOp compare : compares) {
      bool isUnsigned = compare.getPredicate() >= arith::CmpIPredicate::ult;
      Type type = compare.getLhs().getType();
      if (isUnsigned || !(type.isIndex() || type.isInteger(32)))
        continue;
      IndexSum difference;
      difference.add(compare.getLhs(), 1);
      difference.add(compare.getRhs(), -1);
      if (!difference.isNarrow())
        continue;
      if (type.isIndex())
        narrow(compare, difference);
      else if (difference.large.empty() && !difference.clamped.empty())
        reorder(compare, difference);
    }
  }
};

} // namespace
