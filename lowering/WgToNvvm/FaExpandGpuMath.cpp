// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The maths of regions by the chip's own instructions and polynomials. There is
// no device library to call: a call to one would be an external function, and
// PTX with such does not load.
#include "lowering/WgToNvvm/Emit.h"
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPANDGPUMATH
#include "lowering/WgToNvvm/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {

constexpr double kLog2E = llvm::numbers::log2e;
constexpr double kLn2 = llvm::numbers::ln2;
/// log2(e) = its f32 value + this.
constexpr double kLog2ELow = 1.925963033500e-08;

/// f32 arithmetic; numbers stand for constants.
struct GpuMaths : wg::Emit {
  using Emit::Emit;

  Value c(double value) { return f32(value); }
  Value add(Value a, Value b) { return arith::AddFOp::create(*this, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(*this, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(*this, a, b); }
  Value neg(Value a) { return arith::NegFOp::create(*this, a); }
  Value fma(Value a, Value b, Value c) {
    return LLVM::FMAOp::create(*this, a, b, c);
  }
  Value abs(Value a) { return LLVM::FAbsOp::create(*this, a); }
  Value floor(Value a) { return LLVM::FFloorOp::create(*this, a); }
  Value round(Value a) { return LLVM::RoundEvenOp::create(*this, a); }
  Value copySign(Value magnitude, Value sign) {
    return LLVM::CopySignOp::create(*this, magnitude, sign);
  }
  Value min(Value a, Value b) { return arith::MinNumFOp::create(*this, a, b); }
  Value max(Value a, Value b) { return arith::MaxNumFOp::create(*this, a, b); }
  Value cmp(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(*this, predicate, a, b);
  }
  Value less(Value a, Value b) { return cmp(arith::CmpFPredicate::OLT, a, b); }
  Value equal(Value a, Value b) { return cmp(arith::CmpFPredicate::OEQ, a, b); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }
  Value both(Value a, Value b) { return arith::AndIOp::create(*this, a, b); }
  Value either(Value a, Value b) { return arith::OrIOp::create(*this, a, b); }
  Value bits(Value a) {
    return arith::BitcastOp::create(*this, getI32Type(), a);
  }
  Value fromBits(Value a) {
    return arith::BitcastOp::create(*this, getF32Type(), a);
  }
  /// value * x^0 + ... by Horner's rule.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = c(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, c(coefficient));
    return sum;
  }

  /// 2^a; results below 2^-126 are 0. Relative error 2^-22.
  Value ex2(Value a) { return native("llvm.nvvm.ex2.approx.ftz.f32", a); }
  Value lg2(Value a) { return native("llvm.nvvm.lg2.approx.f", a); }
  Value reciprocal(Value a) { return native("llvm.nvvm.rcp.approx.ftz.f", a); }
  Value squareRoot(Value a) { return native("llvm.nvvm.sqrt.approx.f", a); }
  Value reciprocalSquareRoot(Value a) {
    return native("llvm.nvvm.rsqrt.approx.f", a);
  }
  /// Within 2 units in the last place, where div.rn would be a call with a
  /// loop.
  Value divide(Value a, Value b) {
    return native("llvm.nvvm.div.full", {a, b});
  }

private:
  Value native(StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(*this, getF32Type(),
                                         getStringAttr(name), operands)
        .getResult(0);
  }
};

/// e^x = 2^t (1 + r ln 2), t = x log2(e) as rounded and r what rounding lost:
/// at x = 80 that is half of 2^-16, far above the error of ex2.
Value expandExp(GpuMaths &m, Value x) {
  Value log2e = m.c(kLog2E);
  Value t = m.mul(x, log2e);
  Value power = m.ex2(t);
  Value lost = m.fma(x, m.c(kLog2ELow), m.fma(x, log2e, m.neg(t)));
  Value corrected = m.fma(m.mul(power, lost), m.c(kLn2), power);
  // Where 2^t is 0, infinite or not a number, so is e^x.
  return m.select(m.less(m.abs(t), m.c(128)), corrected, power);
}

/// For |x| < 0.6 an odd polynomial, since 1 - 2/(e^2x + 1) loses its leading
/// digits there; relative error 3e-7 in both. Where only the absolute error
/// counts (`isFar`) it is 3e-7 without the polynomial.
Value expandTanh(GpuMaths &m, Value x, bool isFar) {
  Value power = m.ex2(m.mul(m.abs(x), m.c(2 * kLog2E)));
  Value far = m.fma(m.reciprocal(m.add(power, m.c(1))), m.c(-2), m.c(1));
  far = m.copySign(far, x);
  if (isFar)
    return far;
  Value square = m.mul(x, x);
  Value odd = m.polynomial(square, {-0.333332986, 0.133319154, -0.0537832933,
                                    0.0207946189, -0.00589394616});
  Value near = m.fma(m.mul(odd, square), x, x);
  return m.select(m.less(m.abs(x), m.c(0.6)), near, far);
}

/// A sum of two f32 values, the second small.
struct DoubleFloat {
  Value high;
  Value low;
};

/// log2 of a positive finite number with about 2^-40 relative error: with
/// x = 2^e m and s = (m - 1) / (m + 1), it is e + 2/ln2 (s + s^3/3 + ...).
DoubleFloat expandLog2Exactly(GpuMaths &m, Value x) {
  constexpr int64_t kMantissaBits = 23, kSqrtHalfBits = 0x3f3504f3;
  constexpr double kScale = 2.885390043258667, kScaleLow = 3.851926067e-08;
  // Subnormal numbers are scaled into the normal range.
  Value tiny = m.less(x, m.c(0x1p-126));
  x = m.select(tiny, m.mul(x, m.c(0x1p24)), x);
  Value bits = m.bits(x);
  Value exponent = arith::ShRSIOp::create(
      m, arith::SubIOp::create(m, bits, m.i32(kSqrtHalfBits)),
      m.i32(kMantissaBits));
  Value mantissa = m.fromBits(arith::SubIOp::create(
      m, bits, arith::ShLIOp::create(m, exponent, m.i32(kMantissaBits))));
  Value e = arith::SIToFPOp::create(m, m.getF32Type(), exponent);
  e = m.add(e, m.select(tiny, m.c(-24), m.c(0)));

  Value f = m.sub(mantissa, m.c(1));
  Value sum = m.add(mantissa, m.c(1));
  Value sumLow = m.sub(mantissa, m.sub(sum, m.c(1)));
  Value inverse = m.reciprocal(sum);
  Value s = m.mul(f, inverse);
  Value rest = m.sub(m.fma(m.neg(s), sum, f), m.mul(s, sumLow));
  Value sLow = m.mul(rest, inverse);

  Value square = m.mul(s, s);
  Value series = m.polynomial(square, {1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9});
  Value product = m.mul(s, m.c(kScale));
  Value low = m.fma(s, m.c(kScale), m.neg(product));
  low = m.fma(s, m.c(kScaleLow), low);
  low = m.fma(sLow, m.c(kScale), low);
  low = m.fma(m.mul(m.mul(s, square), series), m.c(kScale), low);
  Value high = m.add(e, product);
  return {high, m.add(m.add(m.sub(e, high), product), low)};
}

/// |x|^y by 2^(y log2|x|), the exponent held in two parts.
Value expandPowOfMagnitude(GpuMaths &m, Value magnitude, Value y) {
  DoubleFloat log = expandLog2Exactly(m, magnitude);
  Value product = m.mul(y, log.high);
  Value lost = m.fma(y, log.low, m.fma(y, log.high, m.neg(product)));
  // Past the range the result is 0 or infinity and `lost` may be no number.
  Value inRange = m.less(m.abs(product), m.c(256));
  lost = m.select(inRange, lost, m.c(0));
  Value t = m.max(m.min(product, m.c(256)), m.c(-256));
  Value whole = m.round(t);
  Value power = m.ex2(m.add(m.sub(t, whole), lost));
  // 2^whole in two factors, each of which is in range.
  Value half = m.floor(m.mul(whole, m.c(0.5)));
  return m.mul(m.mul(power, m.ex2(half)), m.ex2(m.sub(whole, half)));
}

/// As C's pow: 1 for y = 0 and for x = 1 whatever the other is, NaN for a
/// negative x with a y that is not whole.
Value expandPow(GpuMaths &m, Value x, Value y) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Value magnitude = m.abs(x), zero = m.c(0), one = m.c(1), inf = m.c(kInf);
  Value power = expandPowOfMagnitude(m, magnitude, y);
  Value falls = m.less(y, zero);
  power = m.select(m.equal(magnitude, zero), m.select(falls, inf, zero), power);
  power = m.select(m.equal(magnitude, inf), m.select(falls, zero, inf), power);
  power = m.select(m.equal(magnitude, one), one, power);

  Value halfY = m.mul(y, m.c(0.5));
  Value isWhole = m.equal(m.floor(y), y);
  Value isOdd =
      m.both(isWhole, m.cmp(arith::CmpFPredicate::ONE, m.floor(halfY), halfY));
  power = m.select(isOdd, m.copySign(power, x), power);
  Value isDefined =
      m.either(isWhole, m.either(m.cmp(arith::CmpFPredicate::OGE, x, zero),
                                 m.equal(magnitude, inf)));
  power = m.select(isDefined, power, m.c(std::nan("")));
  Value isNumber = m.cmp(arith::CmpFPredicate::ORD, x, y);
  power = m.select(isNumber, power, m.add(x, y));
  return m.select(m.either(m.equal(x, one), m.equal(y, zero)), one, power);
}

/// The value of an f32 op on these operands, null where there is no expansion.
Value expand(GpuMaths &m, Operation *op, ValueRange in) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp exp) {
        if (bitEnumContainsAll(exp.getFastmath(), arith::FastMathFlags::afn))
          return m.ex2(m.mul(in[0], m.c(kLog2E)));
        return expandExp(m, in[0]);
      })
      .Case([&](math::Exp2Op) { return m.ex2(in[0]); })
      .Case([&](math::LogOp) { return m.mul(m.lg2(in[0]), m.c(kLn2)); })
      .Case([&](math::Log2Op) { return m.lg2(in[0]); })
      .Case([&](math::TanhOp tanh) {
        return expandTanh(
            m, in[0],
            bitEnumContainsAll(tanh.getFastmath(), arith::FastMathFlags::afn));
      })
      .Case([&](math::PowFOp) { return expandPow(m, in[0], in[1]); })
      .Case([&](math::SqrtOp) { return m.squareRoot(in[0]); })
      .Case([&](math::RsqrtOp) { return m.reciprocalSquareRoot(in[0]); })
      .Case([&](math::FloorOp) { return m.floor(in[0]); })
      .Case([&](math::CeilOp) {
        return LLVM::FCeilOp::create(m, in[0]).getResult();
      })
      .Case([&](math::RoundEvenOp) { return m.round(in[0]); })
      .Case([&](math::AbsFOp) { return m.abs(in[0]); })
      .Case([&](math::FmaOp) { return m.fma(in[0], in[1], in[2]); })
      .Case([&](math::CopySignOp) { return m.copySign(in[0], in[1]); })
      .Case([&](arith::DivFOp div) {
        if (bitEnumContainsAll(div.getFastmath(), arith::FastMathFlags::arcp))
          return m.mul(in[0], m.divide(m.c(1), in[1]));
        return m.divide(in[0], in[1]);
      })
      .Default(Value());
}

struct FaExpandGpuMath : mlir::fa::impl::FaExpandGpuMathBase<FaExpandGpuMath> {
  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          isa<arith::DivFOp>(op))
        worklist.push_back(op);
    });
    for (Operation *op : worklist)
      if (failed(replace(op)))
        return signalPassFailure();
  }

private:
  static LogicalResult replace(Operation *op) {
    Type type = op->getResult(0).getType();
    bool isDivision = isa<arith::DivFOp>(op);
    if (isDivision && !type.isF32())
      return success(); // the back end divides other types by itself
    bool isHalf = type.isF16() || type.isBF16();
    GpuMaths m(op, OpBuilder(op));
    SmallVector<Value> operands(op->getOperands());
    if (isHalf)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(m, m.getF32Type(), operand);
    Value result = isHalf || type.isF32() ? expand(m, op, operands) : Value();
    if (!result)
      return op->emitOpError("is not supported in a kernel on ")
             << type
             << ": supported are absf, ceil, copysign, exp, exp2, floor, fma, "
                "log, log2, powf, roundeven, rsqrt, sqrt and tanh on f16, bf16 "
                "and f32";
    if (isHalf)
      result = arith::TruncFOp::create(m, type, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return success();
  }
};

} // namespace
