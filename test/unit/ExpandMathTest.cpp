// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expansions of maths against the C library in double precision, that of
// bf16 against its definition.
#include "CpuKernel.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace fa::test;

namespace {

/// out[i] = r for i < n, as a kernel; `ops` make %r of %a = x[i] and %b = y[i].
std::string kernelText(const std::string &ops) {
  return R"mlir(module attributes {fa.stage = "outlined", fa.manifest = {kernels = []}} {
  func.func @apply(%xp: memref<f32>, %yp: memref<f32>, %op: memref<f32>, %n: index, %tile: index)
      attributes {fa.kernel} {
    %x = memref.reinterpret_cast %xp to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %y = memref.reinterpret_cast %yp to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %o = memref.reinterpret_cast %op to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%i] : memref<?xf32>
      %b = memref.load %y[%i] : memref<?xf32>
      )mlir" +
         ops + R"mlir(
      memref.store %r, %o[%i] : memref<?xf32>
    }
    return
  }
})mlir";
}

float fromBits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

uint32_t toBits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

/// Every exponent and sign with mantissas spread over them, and the edges.
std::vector<float> sample() {
  std::vector<float> all = {0.0f,
                            -0.0f,
                            1.0f,
                            -1.0f,
                            2.0f,
                            -3.0f,
                            0.5f,
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            std::nanf(""),
                            std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min()};
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 4093)
    all.push_back(fromBits(bits));
  return all;
}

std::vector<float> evaluate(const std::string &ops, std::vector<float> x,
                            std::vector<float> y) {
  CpuKernel kernel(kernelText(ops), mlir::fa::buildCpuPipeline,
                   mlir::fa::Calls::Memory);
  std::vector<float> out(x.size());
  if (!kernel.isLoaded())
    return out;
  void *pointers[] = {x.data(), y.data(), out.data()};
  int64_t n = x.size();
  kernel.runRaw("apply", {&pointers[0], &pointers[1], &pointers[2], &n});
  return out;
}

/// The largest error in units of the last place; where the exact value is no
/// normal number, `out` must be as the C library's result, or 0.
void expectClose(const std::vector<float> &x, const std::vector<float> &y,
                 const std::vector<float> &out,
                 const std::function<double(double, double)> &exact,
                 double ulps) {
  constexpr float smallest = std::numeric_limits<float>::min();
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double wide = exact(x[i], y[i]);
    float want = wide;
    if (std::isnan(want) || std::isinf(want) || want == 0) {
      bool same = std::isnan(want) ? std::isnan(out[i])
                                   : out[i] == want && std::signbit(out[i]) ==
                                                           std::signbit(want);
      ASSERT_TRUE(same) << x[i] << ", " << y[i] << ": expects " << want
                        << ", got " << out[i];
      continue;
    }
    if (std::abs(want) < smallest && std::abs(out[i]) <= smallest)
      continue;
    double unit = std::abs(std::nextafter(want, HUGE_VALF) - want);
    double error = std::abs(out[i] - wide) / unit;
    if (!(error <= worst)) {
      worst = error;
      at = i;
    }
  }
  EXPECT_LE(worst, ulps) << "at " << x[at] << ", " << y[at] << ": got "
                         << out[at];
}

void checkUnary(const std::string &name, double (*exact)(double), double ulps) {
  std::vector<float> x = sample();
  expectClose(
      x, x, evaluate("%r = math." + name + " %a : f32", x, x),
      [&](double a, double) { return exact(a); }, ulps);
}

TEST(ExpandMath, Exp) { checkUnary("exp", std::exp, 2); }
TEST(ExpandMath, Exp2) { checkUnary("exp2", std::exp2, 2); }
TEST(ExpandMath, Log) { checkUnary("log", std::log, 1); }
TEST(ExpandMath, Log2) { checkUnary("log2", std::log2, 1); }
TEST(ExpandMath, Tanh) { checkUnary("tanh", std::tanh, 6); }
TEST(ExpandMath, Rsqrt) {
  checkUnary("rsqrt", [](double x) { return 1 / std::sqrt(x); }, 2);
}

TEST(ExpandMath, Powf) {
  std::vector<float> bases = sample(), x, y;
  std::vector<float> exponents = {
      0.0f,  -0.0f, 1.0f,  -1.0f,  2.0f,      3.0f,       -3.0f,        0.5f,
      -2.5f, 7.25f, 1e10f, -1e30f, HUGE_VALF, -HUGE_VALF, std::nanf("")};
  for (size_t i = 0; i < bases.size(); ++i)
    for (size_t j = 0; j < exponents.size(); ++j)
      if (i < 12 || (i + j) % 16 == 0) {
        x.push_back(bases[i]);
        y.push_back(exponents[j]);
      }
  expectClose(
      x, y, evaluate("%r = math.powf %a, %b : f32", x, y),
      [](double a, double b) { return std::pow(a, b); }, 2);
}

/// The nearest bf16, of two equally near the one with an even last bit; beyond
/// the largest one the next would be 2^128.
float nearestBf16(float x) {
  uint32_t lower = toBits(x) & 0xffff0000;
  double below = std::abs(fromBits(lower)),
         above = std::abs(fromBits(lower + 0x10000));
  if (std::isinf(above))
    above = std::ldexp(1.0, 128);
  double down = std::abs(x) - below, up = above - std::abs(x);
  bool isOdd = (lower >> 16) & 1;
  return fromBits(down < up || (down == up && !isOdd) ? lower
                                                      : lower + 0x10000);
}

TEST(ExpandBf16, RoundsToNearestEven) {
  std::vector<float> x = sample();
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : {0x0001, 0x7fff, 0x8000, 0x8001, 0xffff})
      x.push_back(fromBits(upper << 16 | lower));
  std::vector<float> out = evaluate("%h = arith.truncf %a : f32 to bf16\n"
                                    "%r = arith.extf %h : bf16 to f32",
                                    x, x);
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]))
      ASSERT_TRUE(std::isnan(out[i])) << std::hex << toBits(x[i]);
    else
      ASSERT_EQ(toBits(out[i]),
                std::isinf(x[i]) ? toBits(x[i]) : toBits(nearestBf16(x[i])))
          << std::hex << toBits(x[i]);
  }
}

} // namespace
