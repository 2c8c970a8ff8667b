// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: exp2((s - m) * c) takes one multiply-add where that is harmless. With
// n = -fl(m * c), exp2(fma(s, c, n)) is off by half an ulp of n in the
// exponent: below |n| = 2^12 that is less than what rounding P costs. Rows past
// that have m taken from their scores first, and n = 0 then, which is
// exp2(fma(s - m, c, 0)); a warp without such rows leaves the subtraction out.
// A row's bits do not depend on the rows beside it, and the exponentials stand
// in one block with what reads them, which ptxas mixes.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGFASTEXP
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

static constexpr float kHarmless = 4096;

namespace {
/// A map that is exp2((scores - reference) * factor).
struct Exponential {
  wg::MapOp map;
  Value scores, reference, factor;
};
} // namespace

static std::optional<Exponential> match(wg::MapOp map) {
  Block &body = map.getBody().front();
  if (map.getNumOperands() != 2 || !llvm::hasNItems(body, 4) ||
      !isa<wg::FragType>(map.getType()))
    return std::nullopt;
  std::optional<ScaledPower> power = matchScaledPower(map);
  if (!power || !isa<wg::FragType>(power->x.getType()) ||
      !isa<wg::RowsType>(power->y.getType()))
    return std::nullopt;
  return Exponential{map, power->x, power->y, power->factor};
}

/// Whether n is past the bound, or no number.
static Value isFar(OpBuilder &b, Location loc, Value n) {
  Value size = math::AbsFOp::create(b, loc, n);
  Value bound = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(kHarmless));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, size, bound);
}

/// `near` in the rows whose n is within the bound, `far` in the others.
static Value pick(OpBuilder &b, Value n, Value near, Value far) {
  Location loc = n.getLoc();
  return buildMap(b, loc, n.getType(), {n, near, far},
                  [&](OpBuilder &inner, ValueRange args) -> Value {
                    Value past = isFar(inner, loc, args[0]);
                    return arith::SelectOp::create(inner, loc, past, args[2],
                                                   args[1]);
                  });
}

/// The scores, less the reference in the rows past the bound.
static Value takeReference(OpBuilder &b, Exponential found, Value n,
                           Value none) {
  Location loc = found.map.getLoc();
  Value vote = buildVote(b, loc, n, [&](OpBuilder &inner, ValueRange args) {
    return isFar(inner, loc, args[0]);
  });
  Type type = found.scores.getType();
  auto branch = scf::IfOp::create(b, loc, type, vote,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder then = branch.getThenBodyBuilder();
  Value base = pick(then, n, none, found.reference);
  Value less =
      buildMap(then, loc, type, {found.scores, base},
               [&](OpBuilder &inner, ValueRange args) -> Value {
                 return arith::SubFOp::create(inner, loc, args[0], args[1]);
               });
  scf::YieldOp::create(then, loc, less);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, found.scores);
  return branch.getResult(0);
}

static void makeFast(Exponential found) {
  wg::MapOp map = found.map;
  OpBuilder b(map);
  Location loc = map.getLoc();
  Type rows = found.reference.getType();
  Value n = buildMap(b, loc, rows, found.reference,
                     [&](OpBuilder &inner, ValueRange args) -> Value {
                       Value product = arith::MulFOp::create(
                           inner, loc, args[0], found.factor);
                       return arith::NegFOp::create(inner, loc, product);
                     });
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  Value none = wg::SplatOp::create(b, loc, rows, zero);
  Value scores = takeReference(b, found, n, none);
  Value rest = pick(b, n, n, none);
  Value result = buildMap(b, loc, map.getType(), {scores, rest},
                          [&](OpBuilder &inner, ValueRange args) -> Value {
                            Value e = math::FmaOp::create(
                                inner, loc, args[0], found.factor, args[1]);
                            return math::Exp2Op::create(inner, loc, e);
                          });
  map.getResult().replaceAllUsesWith(result);
  map.erase();
}

namespace {
struct FastExpPass : mlir::fa::impl::WgFastExpBase<FastExpPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values", "pipelined", "async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      if (!votesOnRareWork(kernel))
        continue;
      for (wg::MapOp map : findOps<wg::MapOp>(kernel))
        if (std::optional<Exponential> found = match(map))
          makeFast(*found);
    }
  }
};
} // namespace
