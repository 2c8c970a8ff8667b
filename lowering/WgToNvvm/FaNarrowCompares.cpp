// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks compare coordinates, and coordinates are 64-bit: a query's number, a
// key's number. What differs from one element of a tile to the next is small.
#include "lowering/WgToNvvm/Emit.h"
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FANARROWCOMPARES
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {

/// Sums of small terms and constants stay below this.
constexpr int64_t kSmall = int64_t(1) << 24;

std::optional<int64_t> constantOf(Value value) {
  IntegerAttr attribute;
  if (matchPattern(value, m_Constant(&attribute)))
    return attribute.getInt();
  return std::nullopt;
}

/// The largest value of an i32 or index that is made of the thread's and the
/// warpgroup's number by sums, products, quotients and remainders; none for
/// other values.
std::optional<int64_t> largest(Value value) {
  constexpr int64_t kMostThreads = 1024;
  if (std::optional<int64_t> constant = constantOf(value))
    return *constant >= 0 ? constant : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<NVVM::ThreadIdXOp>(op))
    return kMostThreads - 1;
  if (isa_and_nonnull<arith::IndexCastUIOp, arith::IndexCastOp>(op))
    return largest(op->getOperand(0));
  if (auto least = dyn_cast_or_null<arith::MinUIOp>(op))
    return constantOf(least.getRhs());
  if (!isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::DivUIOp,
                       arith::RemUIOp>(op))
    return std::nullopt;
  std::optional<int64_t> a = largest(op->getOperand(0));
  std::optional<int64_t> b = largest(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  int64_t result = isa<arith::AddIOp>(op)    ? *a + *b
                   : isa<arith::MulIOp>(op)  ? *a * *b
                   : isa<arith::DivUIOp>(op) ? *a // by 1 at least
                                             : std::min(*a, *b - 1);
  return result < kSmall ? std::optional(result) : std::nullopt;
}

/// C where `value` is clamped to [-C, C], as the limits of masks are.
std::optional<int64_t> clampOf(Value value) {
  auto most = value.getDefiningOp<arith::MaxSIOp>();
  auto least = most ? most.getLhs().getDefiningOp<arith::MinSIOp>() : nullptr;
  if (!least)
    return std::nullopt;
  std::optional<int64_t> low = constantOf(most.getRhs());
  std::optional<int64_t> high = constantOf(least.getRhs());
  if (!low || !high || *low > *high)
    return std::nullopt;
  int64_t reach = std::max(std::abs(*low), std::abs(*high));
  return reach < kSmall ? std::optional(reach) : std::nullopt;
}

/// A sum of index values, or of i32 values made from them, sorted by size.
struct Sum {
  int64_t constant = 0;
  /// i32 or index values below kSmall, with their signs.
  SmallVector<std::pair<Value, int>> small;
  /// i32 values that are clamped to as little, with their signs.
  SmallVector<std::pair<Value, int>> clamped;
  /// All others.
  SmallVector<std::pair<Value, int>> large;
  int64_t smallBound = 0;

  void add(Value value, int sign) {
    if (std::optional<int64_t> number = constantOf(value)) {
      constant += sign * *number;
      return;
    }
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
      add(op->getOperand(0), sign);
      add(op->getOperand(1), isa<arith::AddIOp>(op) ? sign : -sign);
      return;
    }
    auto cast = value.getDefiningOp<arith::IndexCastOp>();
    bool narrows = cast && value.getType().isInteger(32);
    if (std::optional<int64_t> bound = clampOf(narrows ? cast.getIn() : value);
        bound && value.getType().isInteger(32)) {
      clamped.push_back({value, sign});
      smallBound += *bound;
      return;
    }
    if (narrows) {
      add(cast.getIn(), sign);
      return;
    }
    if (std::optional<int64_t> bound = largest(value)) {
      bool isCast =
          isa_and_nonnull<arith::IndexCastUIOp, arith::IndexCastOp>(op);
      small.push_back({isCast ? op->getOperand(0) : value, sign});
      smallBound += *bound;
      return;
    }
    large.push_back({value, sign});
  }

  bool isNarrow() const {
    return !small.empty() && smallBound < kSmall && std::abs(constant) < kSmall;
  }
};

Value sumOf(wg::Emit &emit, ArrayRef<std::pair<Value, int>> terms, Value zero) {
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
void narrow(arith::CmpIOp compare, const Sum &difference) {
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
void reorder(arith::CmpIOp compare, const Sum &difference) {
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
      Sum difference;
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
