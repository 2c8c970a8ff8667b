// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Half.h"

#include <cmath>
#include <cstring>

namespace fa::rt {
namespace {

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Rounds a double to a 16-bit format with `mantissa` stored bits and the given
/// exponent bias.
uint16_t roundTo(double value, int mantissa, int bias) {
  uint64_t bits = bitCast<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  uint16_t infinity = static_cast<uint16_t>((2 * bias + 1) << mantissa);
  if (std::isnan(value))
    return sign | infinity | static_cast<uint16_t>(1u << (mantissa - 1));
  double magnitude = std::fabs(value);
  // The place of the last bit kept: fixed below the smallest normal number.
  int exponent = magnitude == 0 ? 1 - bias : std::ilogb(magnitude);
  if (exponent > bias)
    return sign | infinity;
  if (exponent < 1 - bias)
    exponent = 1 - bias;
  // In units of the last place: a number that double holds exactly, and that
  // nearbyint (ties to even) rounds once.
  double units = std::nearbyint(std::ldexp(magnitude, mantissa - exponent));
  // With the exponent's field added a carry out of the mantissa lands in it,
  // and beyond the largest exponent in infinity.
  uint32_t field = static_cast<uint32_t>(exponent + bias - 1) << mantissa;
  return static_cast<uint16_t>(sign | (field + static_cast<uint32_t>(units)));
}

} // namespace

float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 31, mantissa = bits & 0x3FF;
  if (exponent == 31)
    return bitCast<float>(sign | 0x7F800000u | mantissa << 13);
  if (exponent == 0) {
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return bitCast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t doubleToHalf(double value) { return roundTo(value, 10, 15); }

float bfloatToFloat(uint16_t bits) {
  return bitCast<float>(uint32_t(bits) << 16);
}

uint16_t doubleToBfloat(double value) { return roundTo(value, 7, 127); }

float roundToHalf(float value) {
  float magnitude = std::fabs(value);
  if (!(magnitude < 65520.0f)) // halfway between the largest number and 2^16
    return std::isnan(value) ? value : std::copysign(INFINITY, value);
  // Below the smallest normal number the places end at 2^-24, as those of a
  // float between 0.5 and 1 do.
  if (magnitude < 0x1p-14f)
    return std::copysign((magnitude + 0.5f) - 0.5f, value);
  uint32_t bits = bitCast<uint32_t>(value);
  bits += 0xFFF + (bits >> 13 & 1);
  return bitCast<float>(bits & ~0x1FFFu);
}

float roundToBfloat(float value) {
  if (std::isnan(value))
    return value;
  uint32_t bits = bitCast<uint32_t>(value);
  bits += 0x7FFF + (bits >> 16 & 1);
  return bitCast<float>(bits & 0xFFFF0000u);
}

} // namespace fa::rt
