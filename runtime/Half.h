// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 and bf16 in software: exact to float, rounded to nearest even from float
// and double (once, not by way of float).
#ifndef FA_RUNTIME_HALF_H
#define FA_RUNTIME_HALF_H

#include <cstdint>

namespace fa::rt {

float halfToFloat(uint16_t bits);
uint16_t doubleToHalf(double value);

float bfloatToFloat(uint16_t bits);
uint16_t doubleToBfloat(double value);

/// The float nearest to `value` that the format holds; fast.
float roundToHalf(float value);
float roundToBfloat(float value);

} // namespace fa::rt

#endif
