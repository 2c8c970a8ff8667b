// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/IndexSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::wg;

static std::optional<int64_t> constantOf(Value value) {
  IntegerAttr attribute;
  if (matchPattern(value, m_Constant(&attribute)))
    return attribute.getInt();
  return std::nullopt;
}

/// The largest value of an i32 or index that is made of the thread's and the
/// warpgroup's number by sums, products, quotients and remainders; none for
/// other values.
static std::optional<int64_t> largest(Value value) {
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
static std::optional<int64_t> clampOf(Value value) {
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

void IndexSum::add(Value value, int sign) {
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
    bool isCast = isa_and_nonnull<arith::IndexCastUIOp, arith::IndexCastOp>(op);
    small.push_back({isCast ? op->getOperand(0) : value, sign});
    smallBound += *bound;
    return;
  }
  large.push_back({value, sign});
}

bool IndexSum::isNarrow() const {
  return !small.empty() && smallBound < kSmall && std::abs(constant) < kSmall;
}
