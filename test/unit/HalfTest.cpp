// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Half.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace fa::rt;

namespace {

/// A format by its definition: sign, exponent, mantissa.
struct Format {
  int mantissa, exponentBits;
  float (*toFloat)(uint16_t);
  uint16_t (*fromDouble)(double);
  float (*round)(float);

  double value(uint16_t bits) const {
    int bias = (1 << (exponentBits - 1)) - 1;
    int exponent = bits >> mantissa & ((1 << exponentBits) - 1);
    int fraction = bits & ((1 << mantissa) - 1);
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == (1 << exponentBits) - 1)
      return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
      return sign * std::ldexp(fraction, 1 - bias - mantissa);
    return sign *
           std::ldexp((1 << mantissa) + fraction, exponent - bias - mantissa);
  }
};

class HalfTest : public testing::TestWithParam<Format> {};

TEST_P(HalfTest, AllPatterns) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    double expected = format.value(static_cast<uint16_t>(bits));
    float found = format.toFloat(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(found)) << bits;
      ASSERT_TRUE(std::isnan(format.value(format.fromDouble(found)))) << bits;
      ASSERT_TRUE(std::isnan(format.round(found))) << bits;
      continue;
    }
    ASSERT_EQ(found, expected) << bits;
    ASSERT_EQ(std::signbit(found), std::signbit(expected)) << bits;
    ASSERT_EQ(format.fromDouble(found), bits);
    ASSERT_EQ(format.round(found), found) << bits;
  }
}

/// Between any two neighbours: the halfway point goes to the even one, and what
/// lies to a side of it to the nearer one, however small the difference.
TEST_P(HalfTest, RoundsToNearestEven) {
  const Format &format = GetParam();
  uint16_t infinity = static_cast<uint16_t>(((1 << format.exponentBits) - 1)
                                            << format.mantissa);
  for (uint32_t bits = 0; bits < infinity; ++bits) {
    double low = format.value(static_cast<uint16_t>(bits));
    double high = bits + 1u == infinity
                      ? 2 * low - format.value(static_cast<uint16_t>(bits - 1))
                      : format.value(static_cast<uint16_t>(bits + 1));
    double middle = (low + high) / 2;
    uint16_t even = static_cast<uint16_t>(bits % 2 ? bits + 1 : bits);
    ASSERT_EQ(format.fromDouble(middle), even) << bits;
    ASSERT_EQ(format.fromDouble(-middle), even | 0x8000) << bits;
    ASSERT_EQ(format.fromDouble(std::nextafter(middle, 0)), bits);
    ASSERT_EQ(format.fromDouble(std::nextafter(middle, INFINITY)), bits + 1);
  }
}

TEST_P(HalfTest, TheFastWayAgrees) {
  const Format &format = GetParam();
  std::mt19937 random(1);
  for (int i = 0; i < 2000000; ++i) {
    uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    float expected = format.toFloat(format.fromDouble(value)),
          found = format.round(value);
    ASSERT_TRUE(std::isnan(value)
                    ? std::isnan(found)
                    : std::memcmp(&expected, &found, sizeof(found)) == 0)
        << value << " gives " << found << ", expects " << expected;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, HalfTest,
    testing::Values(Format{10, 5, halfToFloat, doubleToHalf, roundToHalf},
                    Format{7, 8, bfloatToFloat, doubleToBfloat, roundToBfloat}),
    [](const auto &info) { return info.index ? "bf16" : "f16"; });

} // namespace
