// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block finds its batch, head and tile by dividing its number. That number
// has 31 bits; the sizes that it is divided by are 64-bit like every index, and
// such a division is a subroutine.
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

namespace mlir::fa {
#define GEN_PASS_DEF_FANARROWDIVISIONS
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {

bool isDivision(Operation *op) {
  return isa_and_nonnull<arith::DivUIOp, arith::RemUIOp>(op) &&
         op->getResult(0).getType().isIndex();
}

/// Whether an index is a block's number or what is left of it by divisions, and
/// so below 2^31.
bool isFromBlockNumber(Value value) {
  Operation *op = value.getDefiningOp();
  while (isDivision(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<gpu::BlockIdOp>(op);
}

/// In 32 bits. A divisor past the dividend gives 0 and the dividend whatever
/// its size, so a large one may be clamped.
void narrow(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), OpBuilder(op));
  Type narrowType = builder.getI32Type();
  Value most = arith::ConstantIndexOp::create(
      builder, std::numeric_limits<int32_t>::max());
  Value divisor = builder.createOrFold<arith::MinUIOp>(op->getOperand(1), most);
  Value a =
      arith::IndexCastUIOp::create(builder, narrowType, op->getOperand(0));
  Value b = arith::IndexCastUIOp::create(builder, narrowType, divisor);
  Value result = isa<arith::DivUIOp>(op)
                     ? Value(arith::DivUIOp::create(builder, a, b))
                     : Value(arith::RemUIOp::create(builder, a, b));
  Value wide =
      arith::IndexCastUIOp::create(builder, builder.getIndexType(), result);
  op->getResult(0).replaceAllUsesWith(wide);
  op->erase();
}

struct FaNarrowDivisions
    : mlir::fa::impl::FaNarrowDivisionsBase<FaNarrowDivisions> {
  void runOnOperation() override {
    // All are found before the first is replaced: chains are known by their
    // divisions.
    SmallVector<Operation *> divisions;
    getOperation().walk([&](Operation *op) {
      if (isDivision(op) && isFromBlockNumber(op->getOperand(0)))
        divisions.push_back(op);
    });
    for (Operation *op : divisions)
      narrow(op);
  }
};

} // namespace
