// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions convert coordinates to f32 (ALiBi's distance of a key): a slow
// instruction for each element, of numbers that differ by constants only from
// one element of a thread to the next. One conversion and a sum do, and where
// the number is multiplied next, one multiply-add.
#include "lowering/WgToNvvm/IndexSum.h"
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAFLOATCOORDINATES
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using wg::Emit;
using wg::IndexSum;

namespace {

/// Fewer elements than that are not worth a common base.
constexpr size_t kWorthwhile = 4;
/// Constants below this, and what is left of a base without its multiples, sum
/// exactly in f32.
constexpr int64_t kExact = int64_t(1) << 12;

/// The conversion of base + constant.
struct Element {
  arith::SIToFPOp op;
  int64_t constant;
};
/// The terms of a base (value and sign) and the block that it is used in.
using Key = std::pair<Block *, SmallVector<IndexSum::Term>>;
using Groups = SmallVector<std::pair<Key, SmallVector<Element>>>;

/// The sum that `op` converts; none where it is not one of coordinates.
std::optional<IndexSum> sumOf(arith::SIToFPOp op) {
  auto cast = op.getIn().getDefiningOp<arith::IndexCastOp>();
  if (!cast || !cast.getIn().getType().isIndex() ||
      !op.getIn().getType().isInteger(64) || !op.getType().isF32())
    return std::nullopt;
  IndexSum sum;
  sum.add(cast.getIn(), 1);
  if (!sum.isNarrow() || !sum.clamped.empty() ||
      std::abs(sum.constant) >= kExact)
    return std::nullopt;
  return sum;
}

/// Gives each user in another block a conversion of its own, in front of it: in
/// a branch it may be multiplied by what only exists there.
void sinkIntoBranches(ModuleOp module) {
  SmallVector<OpOperand *> uses;
  module.walk([&](arith::SIToFPOp op) {
    if (sumOf(op))
      for (OpOperand &use : op->getUses())
        if (use.getOwner()->getBlock() != op->getBlock())
          uses.push_back(&use);
  });
  for (OpOperand *use : uses) {
    OpBuilder b(use->getOwner());
    Operation *op = use->get().getDefiningOp();
    IRMapping mapping;
    b.clone(*op->getOperand(0).getDefiningOp(), mapping);
    use->set(b.clone(*op, mapping)->getResult(0));
    if (op->use_empty())
      op->erase();
  }
}

Groups findGroups(ModuleOp module) {
  Groups groups;
  module.walk([&](arith::SIToFPOp op) {
    std::optional<IndexSum> sum = sumOf(op);
    if (!sum)
      return;
    Key key{op->getBlock(), sum->large};
    llvm::append_range(key.second, sum->small);
    auto known = llvm::find_if(
        groups, [&](const auto &group) { return group.first == key; });
    if (known == groups.end())
      known = groups.insert(groups.end(), {key, {}});
    known->second.push_back({op, sum->constant});
  });
  llvm::erase_if(groups, [](const auto &group) {
    return group.second.size() < kWorthwhile;
  });
  return groups;
}

/// What all elements of a group share.
class Base {
public:
  Base(const Key &key, Operation *first) : emit(first, OpBuilder(first)) {
    value = emit.index(0);
    for (auto [term, sign] : key.second) {
      Value index = term.getType().isIndex() ? term : emit.toIndex(term);
      value = sign > 0 ? emit.createOrFold<arith::AddIOp>(value, index)
                       : emit.createOrFold<arith::SubIOp>(value, index);
    }
  }

  /// base + constant, rounded as the conversion does: the multiple of kExact
  /// below the base is a number of f32 up to 2^36, the rest and the constant
  /// sum exactly, so that only one sum rounds.
  Value plus(Emit &at, int64_t constant) {
    if (!high) {
      Value mask = emit.index(-kExact);
      Value multiple = emit.createOrFold<arith::AndIOp>(value, mask);
      high = convert(multiple);
      low = convert(emit.createOrFold<arith::SubIOp>(value, multiple));
    }
    Value rest = arith::AddFOp::create(at, low, at.f32(constant));
    return arith::AddFOp::create(at, high, rest);
  }

  /// (base + constant) * factor, plus `addend` where it is not null, by a
  /// multiply-add with a constant; `inner`, where there is one, is that of the
  /// addend and comes between the two.
  Value times(Emit &at, Value factor, Value addend, math::FmaOp inner,
              int64_t constant) {
    Value &product = products[{factor, addend}];
    if (!product) {
      if (!whole)
        whole = convert(value);
      product =
          addend ? math::FmaOp::create(emit, factor, whole, addend).getResult()
                 : arith::MulFOp::create(emit, factor, whole).getResult();
    }
    Value sum =
        inner ? math::FmaOp::create(at, inner.getA(), inner.getB(), product)
                    .getResult()
              : product;
    return math::FmaOp::create(at, factor, at.f32(constant), sum);
  }

private:
  Value convert(Value index) {
    Value wide = arith::IndexCastOp::create(emit, emit.getI64Type(), index);
    return arith::SIToFPOp::create(emit, emit.getF32Type(), wide);
  }

  /// Builds in front of the first element.
  Emit emit;
  Value value, whole, high, low;
  DenseMap<std::pair<Value, Value>, Value> products;
};

/// The other factor of a product, or multiply-add, of a coordinate.
Value otherFactor(Operation *product, Value coordinate) {
  Value first = product->getOperand(0);
  return first == coordinate ? product->getOperand(1) : first;
}

/// Whether `op` may be rewritten itself.
bool readsConversion(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    return operand.getDefiningOp<arith::SIToFPOp>() != nullptr;
  });
}

/// The multiply-add, not of a coordinate, that another one adds; null where it
/// adds something else, or where something else reads that too.
math::FmaOp innerOf(Operation *product) {
  auto fma = dyn_cast<math::FmaOp>(product);
  auto inner = fma ? fma.getC().getDefiningOp<math::FmaOp>() : math::FmaOp();
  return inner && inner->hasOneUse() && !readsConversion(inner) ? inner
                                                                : math::FmaOp();
}

/// What a multiply-add, or the one that it adds, adds; null for a product.
Value addendOf(Operation *product) {
  if (math::FmaOp inner = innerOf(product))
    return inner.getC();
  auto fma = dyn_cast<math::FmaOp>(product);
  return fma ? fma.getC() : Value();
}

/// Whether `value` is known in front of `op`, of its block or one around it.
bool isInFront(Value value, Operation *op) {
  Operation *from = value.getDefiningOp();
  if (from && from->getBlock() == op->getBlock())
    return from->isBeforeInBlock(op);
  return value.getParentRegion()->isAncestor(op->getParentRegion());
}

/// The products of coordinates of a group with one value that is known in front
/// of the first: those of elements enough to be worth it.
DenseSet<Operation *> findProducts(ArrayRef<Element> elements) {
  llvm::MapVector<std::pair<Value, Value>, SmallVector<Operation *>> groups;
  Operation *first = elements[0].op;
  for (Element element : elements)
    for (Operation *user : element.op->getUsers()) {
      Value coordinate = element.op.getResult(), addend = addendOf(user);
      if (!isa<arith::MulFOp, math::FmaOp>(user) || addend == coordinate)
        continue;
      Value factor = otherFactor(user, coordinate);
      if (isInFront(factor, first) && (!addend || isInFront(addend, first)))
        groups[{factor, addend}].push_back(user);
    }
  DenseSet<Operation *> products;
  for (auto &[terms, found] : groups)
    if (found.size() >= kWorthwhile)
      products.insert_range(found);
  return products;
}

/// A product, not of a coordinate, that a sum adds to `term` joins that sum.
void contract(Value term) {
  for (Operation *user : llvm::make_early_inc_range(term.getUsers())) {
    auto sum = dyn_cast<arith::AddFOp>(user);
    if (!sum)
      continue;
    Value other = sum.getLhs() == term ? sum.getRhs() : sum.getLhs();
    auto product = other.getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasOneUse() || readsConversion(product))
      continue;
    OpBuilder b(sum);
    Value joined = math::FmaOp::create(b, sum.getLoc(), product.getLhs(),
                                       product.getRhs(), term);
    sum.getResult().replaceAllUsesWith(joined);
    sum.erase();
    product.erase();
  }
}

void rewrite(const Key &key, ArrayRef<Element> elements) {
  DenseSet<Operation *> products = findProducts(elements);
  Base base(key, elements[0].op);
  for (Element element : elements) {
    Value coordinate = element.op.getResult();
    SmallVector<Operation *> users(coordinate.getUsers());
    for (Operation *user : users) {
      if (!products.erase(user))
        continue;
      Emit at(user, OpBuilder(user));
      Value addend = addendOf(user);
      math::FmaOp inner = innerOf(user);
      Value term = base.times(at, otherFactor(user, coordinate), addend, inner,
                              element.constant);
      user->getResult(0).replaceAllUsesWith(term);
      user->erase();
      if (inner)
        inner.erase();
      if (!addend)
        contract(term);
    }
    if (!element.op.use_empty()) {
      Emit at(element.op, OpBuilder(element.op));
      coordinate.replaceAllUsesWith(base.plus(at, element.constant));
    }
  }
  // The base was built in front of the first.
  for (Element element : elements)
    element.op.erase();
}

struct FaFloatCoordinates
    : mlir::fa::impl::FaFloatCoordinatesBase<FaFloatCoordinates> {
  void runOnOperation() override {
    sinkIntoBranches(getOperation());
    for (auto &[key, elements] : findGroups(getOperation()))
      rewrite(key, elements);
  }
};

} // namespace
