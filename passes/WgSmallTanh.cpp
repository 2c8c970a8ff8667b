// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: scores that a softcap bends are mostly small against the cap, and
// there tanh is an odd polynomial: four instructions an element, one of which
// is the scale that the scores need anyway, for the about ten and two table
// look-ups of the form that is right everywhere. A warp all of whose arguments
// are small takes the polynomial alone; another one takes, element by element,
// the polynomial or the full form, so that a row's bits do not depend on the
// rows beside it.
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGSMALLTANH
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// tanh(z) = z (C0 + C1 z^2 + C2 z^4), minimax in the relative error, which is
/// at most 5.7e-7 for |z| <= 17/64: LSE may be off by a millionth of the
/// scores.
static constexpr double kLargest = 0.265625;
static constexpr double kC[] = {0.9999994337, -0.3331884199, 0.1278023937};
/// Factors, and products of factor and weight, past these could overflow in the
/// coefficients. Those of factors below the least could be 0 where they count.
static constexpr double kMostFactor = 0x1p12, kMostProduct = 0x1p60,
                        kLeastFactor = 0x1p-30;
/// The largest number of f32.
static constexpr double kMostFinite = 0x1.fffffep127;

namespace {
/// weight * tanh(factor * x) in a map, x an element of an operand; factor and
/// weight are products of what is the same for all elements.
struct Tanh {
  struct Term {
    Value value;
    bool divides;
  };
  wg::MapOp map;
  math::TanhOp tanh;
  BlockArgument x;
  SmallVector<Term> factor;
  /// Null where the result of tanh is taken as it is.
  Value weight;
  /// What gives the weighted tanh.
  Operation *last;
};

/// f32 arithmetic; numbers stand for constants.
struct Maths : ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value c(double value) {
    return arith::ConstantOp::create(*this, getF32FloatAttr(value));
  }
  Value mul(Value a, Value b) { return createOrFold<arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return createOrFold<arith::DivFOp>(a, b); }
  Value abs(Value a) { return createOrFold<math::AbsFOp>(a); }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(*this, a, b, c);
  }
  Value cmp(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(*this, predicate, a, b);
  }
  Value both(Value a, Value b) { return arith::AndIOp::create(*this, a, b); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }
};

/// What is the same for all elements of a map.
struct Uniform {
  Value factor, weight;
  /// weight * tanh(factor * x) = x (b0 + b1 x^2 + b2 x^4) for |x| <= limit.
  SmallVector<Value> b;
  Value limit;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

static bool isUniform(Value value, wg::MapOp map) {
  return !map.getBody().isAncestor(value.getParentRegion());
}

/// Follows the argument of tanh back to an element.
static bool findFactor(Tanh &found) {
  Value value = found.tanh.getOperand();
  while (!isa<BlockArgument>(value)) {
    Operation *op = value.getDefiningOp();
    if (!isa<arith::MulFOp, arith::DivFOp>(op))
      return false;
    Value a = op->getOperand(0), b = op->getOperand(1);
    bool divides = isa<arith::DivFOp>(op);
    if (!divides && isUniform(a, found.map))
      std::swap(a, b);
    if (!isUniform(b, found.map) || isUniform(a, found.map))
      return false;
    found.factor.push_back({b, divides});
    value = a;
  }
  found.x = cast<BlockArgument>(value);
  unsigned number = found.x.getArgNumber();
  return number < found.map.getNumOperands() && found.x.getType().isF32() &&
         isa<wg::FragType>(found.map.getOperand(number).getType());
}

/// Whether weight * factor is known to be positive, such as cap * (scale / cap)
/// is where scale is.
static bool isIncreasing(const Tanh &found) {
  llvm::SmallDenseSet<Value> odd;
  auto toggle = [&](Value value) {
    if (!odd.erase(value))
      odd.insert(value);
  };
  for (const Tanh::Term &term : found.factor)
    toggle(term.value);
  if (found.weight)
    toggle(found.weight);
  return llvm::all_of(odd, isPositive);
}

static std::optional<Tanh> match(math::TanhOp tanh) {
  auto map = dyn_cast<wg::MapOp>(tanh->getParentOp());
  if (!map || !tanh.getType().isF32() || !isa<wg::FragType>(map.getType()))
    return std::nullopt;
  Tanh found{map, tanh, {}, {}, {}, tanh};
  if (!findFactor(found))
    return std::nullopt;
  if (!tanh->hasOneUse())
    return found;
  if (auto product = dyn_cast<arith::MulFOp>(*tanh->user_begin())) {
    bool isLeft = product.getLhs() == tanh.getResult();
    Value other = isLeft ? product.getRhs() : product.getLhs();
    if (isUniform(other, map)) {
      found.weight = other;
      found.last = product;
    }
  }
  return found;
}

//===----------------------------------------------------------------------===//
// What becomes of it
//===----------------------------------------------------------------------===//

static Uniform makeUniform(Maths &m, const Tanh &found) {
  Uniform u;
  u.factor = m.c(1);
  for (const Tanh::Term &term : llvm::reverse(found.factor))
    u.factor = term.divides ? m.div(u.factor, term.value)
                            : m.mul(u.factor, term.value);
  u.weight = found.weight ? found.weight : m.c(1);
  // Where that overflows, x = 0 still gives 0.
  u.factor = arith::MaximumFOp::create(
      m, arith::MinimumFOp::create(m, u.factor, m.c(kMostFinite)),
      m.c(-kMostFinite));
  Value square = m.mul(u.factor, u.factor);
  Value power = m.mul(u.weight, u.factor);
  SmallVector<Value> b;
  for (double coefficient : kC) {
    b.push_back(m.mul(power, m.c(coefficient)));
    power = m.mul(power, square);
  }

  auto isAtMost = [&](Value value, double most) {
    return m.cmp(arith::CmpFPredicate::OLE, value, m.c(most));
  };
  Value size = m.abs(u.factor), product = m.mul(u.weight, u.factor);
  Value works = m.both(isAtMost(size, kMostFactor),
                       isAtMost(m.abs(product), kMostProduct));
  // A polynomial that no element takes is finite even so.
  for (Value coefficient : b)
    u.b.push_back(m.select(works, coefficient, m.c(0)));
  Value large = arith::MaximumFOp::create(m, size, m.c(kLeastFactor));
  u.limit = m.select(works, m.div(m.c(kLargest), large), m.c(-1));
  return u;
}

static Value polynomial(Maths &m, const Uniform &u, Value x) {
  Value square = m.mul(x, x);
  Value sum = u.b.back();
  for (Value b : llvm::reverse(ArrayRef(u.b).drop_back()))
    sum = m.fma(square, sum, b);
  return m.mul(x, sum);
}

/// A map of `tile`'s elements.
static wg::MapOp makeMap(OpBuilder &b, Location loc, Value tile,
                         function_ref<Value(Maths &, Value x)> body) {
  auto map = wg::MapOp::create(b, loc, tile.getType(), tile);
  Block &block = map.getBody().emplaceBlock();
  block.addArguments({b.getF32Type(), b.getIndexType(), b.getIndexType()},
                     {loc, loc, loc});
  Maths each(loc, OpBuilder::atBlockEnd(&block));
  Value result = body(each, block.getArgument(0));
  wg::YieldOp::create(each, result);
  return map;
}

/// Whether an element of the warp is past the limit, or is no number. As
/// integers the largest signed one is the largest element where one is above 0,
/// and the largest unsigned one the least where one is below 0.
static Value isAnyFar(Maths &m, Value tile, const Uniform &u) {
  auto frag = cast<wg::FragType>(tile.getType());
  auto parts = wg::RowsType::get(frag.getRows(), m.getF32Type(),
                                 frag.getWarps(), wg::Combine::MaximumF);
  Value lowest = m.c(-std::numeric_limits<double>::infinity());
  Value none = wg::SplatOp::create(m, parts, lowest);
  auto take = [&](wg::Combine kind) -> Value {
    return wg::ReduceRowsOp::create(m, parts, kind, tile, none);
  };
  Value ends[] = {take(wg::Combine::MaximumBits),
                  take(wg::Combine::LargestBits)};
  return buildVote(
      m, m.getLoc(), ends, [&](OpBuilder &inner, ValueRange args) -> Value {
        Maths asks(m.getLoc(), inner);
        auto isFar = [&](Value x) {
          return asks.cmp(arith::CmpFPredicate::UGT, asks.abs(x), u.limit);
        };
        return arith::OrIOp::create(asks, isFar(args[0]), isFar(args[1]));
      });
}

/// The full form for large elements. The polynomial reads zeros in their place:
/// a polynomial of the element itself would be the other branch's, and LLVM
/// would compute both in front of the branch.
static Value polynomialOrTanh(Maths &m, const Uniform &u, Value x) {
  Value isSmall = m.cmp(arith::CmpFPredicate::OLE, m.abs(x), u.limit);
  Value small = polynomial(m, u, m.select(isSmall, x, m.c(0)));
  // Far from zero the error of tanh is as good absolute as relative.
  Value far =
      math::TanhOp::create(m, m.mul(x, u.factor), arith::FastMathFlags::afn);
  return m.select(isSmall, small, m.mul(far, u.weight));
}

/// The map goes on from `bent`, the tile of weighted tanhs.
static void goOnFrom(const Tanh &found, Value bent) {
  wg::MapOp map = found.map;
  unsigned number = found.x.getArgNumber(), count = map->getNumOperands();
  map->insertOperands(count, bent);
  Block &body = map.getBody().front();
  Value each = body.insertArgument(count, found.last->getResult(0).getType(),
                                   map.getLoc());
  found.last->getResult(0).replaceAllUsesWith(each);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  if (body.getArgument(number).use_empty()) {
    map->eraseOperand(number);
    body.eraseArgument(number);
  }
  if (map.getYielded() == each) {
    map.getResult().replaceAllUsesWith(bent);
    map.erase();
  }
}

static void makeSmall(Tanh &found) {
  Location loc = found.map.getLoc();
  Maths m(loc, found.map);
  Value tile = found.map->getOperand(found.x.getArgNumber());
  Uniform u = makeUniform(m, found);
  auto branch = scf::IfOp::create(m, tile.getType(), isAnyFar(m, tile, u),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder full = branch.getThenBodyBuilder();
  wg::MapOp some = makeMap(full, loc, tile, [&](Maths &at, Value x) {
    return polynomialOrTanh(at, u, x);
  });
  scf::YieldOp::create(full, loc, some.getResult());
  OpBuilder fast = branch.getElseBodyBuilder();
  wg::MapOp all = makeMap(fast, loc, tile, [&](Maths &at, Value x) {
    return polynomial(at, u, x);
  });
  scf::YieldOp::create(fast, loc, all.getResult());
  some.setIncreasing(isIncreasing(found));
  all.setIncreasing(isIncreasing(found));
  goOnFrom(found, branch.getResult(0));
}

namespace {
struct SmallTanhPass : mlir::fa::impl::WgSmallTanhBase<SmallTanhPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values", "async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      if (!kernel->hasAttr(kTmaAttr))
        continue;
      for (wg::MapOp map : findOps<wg::MapOp>(kernel)) {
        auto all = map.getBody().getOps<math::TanhOp>();
        if (llvm::hasSingleElement(all))
          if (std::optional<Tanh> found = match(*all.begin()))
            makeSmall(*found);
      }
    }
  }
};
} // namespace
