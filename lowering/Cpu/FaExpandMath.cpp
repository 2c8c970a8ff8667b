// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar maths written out in arithmetic, so that nothing calls the C library
// and LLVM can vectorise the loops around it.
#include "lowering/Cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPANDMATH
#include "lowering/Cpu/Passes.h.inc"

namespace {

using llvm::numbers::ln2, llvm::numbers::log2e;
constexpr double inf = std::numeric_limits<double>::infinity();

// 2^r on [-0.5, 0.5] and e^r on [-0.347, 0.347], interpolated at Chebyshev's
// nodes with the constant term held at 1; relative errors 9.2e-9 and 1.05e-8.
constexpr double exp2Terms[] = {1.0,
                                0.6931471824645996,
                                0.24022650718688965,
                                0.055503569543361664,
                                0.009618083015084267,
                                0.0013390863314270973,
                                0.00015453163359779865};
constexpr double expTerms[] = {1.0,
                               1.0,
                               0.5,
                               0.16666504740715027,
                               0.04166646674275398,
                               0.008369149640202522,
                               0.0013933642767369747};

/// The few operations that the expansions are written in, on f32, f64 and ints.
struct CpuMaths {
  ImplicitLocOpBuilder &b;

  Value real(Value like, double x) {
    return arith::ConstantOp::create(b, b.getFloatAttr(like.getType(), x));
  }
  Value integer(Value like, int64_t x) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(like.getType(), x));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value mul(Value x, double y) { return mul(x, real(x, y)); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value is(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value is(arith::CmpFPredicate predicate, Value x, double y) {
    return is(predicate, x, real(x, y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value bits(Type type, Value x) {
    return arith::BitcastOp::create(b, type, x);
  }
  Value f64(Value x) { return arith::ExtFOp::create(b, b.getF64Type(), x); }
  Value f32(Value x) { return arith::TruncFOp::create(b, b.getF32Type(), x); }

  Value polynomial(Value x, ArrayRef<double> terms) {
    Value sum = real(x, terms.back());
    for (double term : llvm::reverse(terms.drop_back()))
      sum = fma(sum, x, real(x, term));
    return sum;
  }

  /// Adding 1.5 * 2^23 (2^52 for f64) rounds to an integer, which then stands
  /// in the low bits; a conversion would be undefined for NaN.
  struct Rounded {
    Value real, integer;
  };
  Rounded round(Value x, Value sum, double magic) {
    Value whole = sub(sum, real(x, magic));
    Type intType = b.getIntegerType(x.getType().getIntOrFloatBitWidth());
    Value raw = bits(intType, sum);
    Value base = bits(intType, real(x, magic));
    Value n = arith::SubIOp::create(b, raw, base);
    if (intType != b.getI32Type())
      n = arith::TruncIOp::create(b, b.getI32Type(), n);
    return {whole, n};
  }

  /// x * 2^n for x in [0.7, 1.42) and n from -126 to 128, by adding to the
  /// exponent.
  Value scale(Value x, Value n) {
    Value raw = bits(b.getI32Type(), x);
    Value shift = arith::ShLIOp::create(b, n, integer(n, 23));
    return bits(x.getType(), arith::AddIOp::create(b, raw, shift));
  }

  /// `y`, the f32 power that was computed for exponent x, within its range: 0
  /// below 2^-126, infinity from `top` on, NaN for NaN.
  Value powerEdges(Value x, Value y, double bottom, double top) {
    using P = arith::CmpFPredicate;
    Value above = f32IfWide(add(x, real(x, inf)));
    y = select(is(P::OLT, x, top), y, above);
    return select(is(P::OLT, x, bottom), real(y, 0.0), y);
  }
  Value f32IfWide(Value x) { return x.getType().isF64() ? f32(x) : x; }

  static constexpr double magic32 = 12582912.0;
  static constexpr double magic64 = 6755399441055744.0;

  Value exp(Value x) {
    Rounded n = round(x, fma(x, real(x, log2e), real(x, magic32)), magic32);
    // ln 2 in two parts; the first times n is exact.
    Value r = fma(n.real, real(x, -0.693359375), x);
    r = fma(n.real, real(x, 0.00021219444170128554), r);
    Value y = scale(polynomial(r, expTerms), n.integer);
    return powerEdges(x, y, -87.33654, 88.72284);
  }

  Value exp2(Value x) {
    Rounded n = round(x, add(x, real(x, magic32)), magic32);
    Value y = scale(polynomial(sub(x, n.real), exp2Terms), n.integer);
    return powerEdges(x, y, -126.0, 128.0);
  }

  /// log2 of a positive finite f32, in f64, to 1e-12.
  Value wideLog2(Value x) {
    Value raw = bits(b.getI64Type(), f64(x));
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)): take the exponent relative to
    // sqrt(1/2), whose bits these are.
    Value root = integer(raw, 0x3FE6A09E667F3BCD);
    Value offset = arith::SubIOp::create(b, raw, root);
    Value e = arith::ShRSIOp::create(b, offset, integer(raw, 52));
    Value shifted = arith::ShLIOp::create(b, e, integer(raw, 52));
    Value m = bits(b.getF64Type(), arith::SubIOp::create(b, raw, shifted));
    Value e32 = arith::TruncIOp::create(b, b.getI32Type(), e);
    Value exponent = arith::SIToFPOp::create(b, b.getF64Type(), e32);
    // log m = 2 artanh((m - 1) / (m + 1)).
    Value one = real(m, 1.0);
    Value s = div(sub(m, one), add(m, one));
    Value odd = polynomial(mul(s, s), {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9,
                                       1.0 / 11, 1.0 / 13});
    return fma(mul(s, 2.0 * log2e), odd, exponent);
  }

  /// The f32 `log` of x, given right for positive finite x.
  Value logEdges(Value x, Value log) {
    using P = arith::CmpFPredicate;
    Value zero = is(P::OEQ, x, 0.0);
    Value edge = select(zero, real(x, -inf), real(x, std::nan("")));
    Value y = select(is(P::OGT, x, 0.0), log, edge);
    return select(is(P::OEQ, x, inf), x, y);
  }
  Value log2(Value x) { return logEdges(x, f32(wideLog2(x))); }
  Value log(Value x) { return logEdges(x, f32(mul(wideLog2(x), ln2))); }

  Value powf(Value x, Value y) {
    using P = arith::CmpFPredicate;
    Value a = math::AbsFOp::create(b, x);
    // The edges of log2 in f64: -inf at 0, inf at inf, NaN at NaN.
    Value wide = wideLog2(a);
    wide = select(is(P::OEQ, a, 0.0), real(wide, -inf), wide);
    wide = select(is(P::OLT, a, inf), wide, f64(a));
    Value t = mul(f64(y), wide);
    Rounded n = round(t, add(t, real(t, magic64)), magic64);
    Value r = f32(sub(t, n.real));
    Value magnitude = scale(polynomial(r, exp2Terms), n.integer);
    magnitude = powerEdges(t, magnitude, -126.0, 128.0);

    Value fractional = is(P::UNE, math::FloorOp::create(b, y), y);
    Value half = mul(y, 0.5);
    Value halfFractional = is(P::UNE, math::FloorOp::create(b, half), half);
    // A sign comes through to odd powers only: not a multiple of 2, but whole.
    Value sign = math::CopySignOp::create(b, magnitude, x);
    Value result =
        select(fractional, magnitude, select(halfFractional, sign, magnitude));
    // A finite negative base has no power but to an integer.
    Value negative = both(is(P::OLT, x, 0.0), is(P::OGT, x, -inf));
    result = select(both(negative, fractional), real(x, std::nan("")), result);
    // 1 to anything, anything to 0, and -1 to an infinity are 1.
    Value infinite = is(P::OEQ, math::AbsFOp::create(b, y), inf);
    Value unit = either(is(P::OEQ, x, 1.0), is(P::OEQ, y, 0.0));
    unit = either(unit, both(infinite, is(P::OEQ, a, 1.0)));
    return select(unit, real(x, 1.0), result);
  }

  Value rsqrt(Value x) { return div(real(x, 1.0), math::SqrtOp::create(b, x)); }

  /// The f32 expansion of `op` on these operands; null where it needs none or
  /// has none here.
  Value expand(Operation *op, ValueRange x) {
    return TypeSwitch<Operation *, Value>(op)
        .Case([&](math::ExpOp) { return exp(x[0]); })
        .Case([&](math::Exp2Op) { return exp2(x[0]); })
        .Case([&](math::LogOp) { return log(x[0]); })
        .Case([&](math::Log2Op) { return log2(x[0]); })
        .Case([&](math::PowFOp) { return powf(x[0], x[1]); })
        .Case([&](math::RsqrtOp) { return rsqrt(x[0]); })
        .Default([](Operation *) { return Value(); });
  }
};

/// Ops that are instructions from x86-64-v3 on.
bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::FloorOp, math::FmaOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp>(op);
}

LogicalResult expandOp(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  CpuMaths maths{b};
  Type type = op->getResult(0).getType();
  bool narrow = isa<Float16Type, BFloat16Type>(type);
  if (!type.isF32() && !narrow)
    return op->emitOpError("expects f16, bf16 or f32 on the CPU, got ") << type;
  SmallVector<Value> operands(op->getOperands());
  if (narrow)
    for (Value &operand : operands)
      operand = arith::ExtFOp::create(b, b.getF32Type(), operand);

  Value result = maths.expand(op, operands);
  if (!result) {
    if (!isa<math::TanhOp>(op))
      return op->emitOpError("has no expansion for the CPU");
    if (!narrow)
      return success(); // written out by the pattern below
    result = math::TanhOp::create(b, operands[0]);
  }
  if (narrow)
    result = arith::TruncFOp::create(b, type, result);
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
  return success();
}

struct FaExpandMath : impl::FaExpandMathBase<FaExpandMath> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          !isInstruction(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(expandOp(op)))
        return signalPassFailure();

    RewritePatternSet patterns(&getContext());
    populatePolynomialApproximateTanhPattern(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::fa
