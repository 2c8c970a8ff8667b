# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates the polynomial that wg-small-tanh wrote (its text on stdin), in f32, against tanh in float64.

The coefficients are the constants of the pass's text for a factor and a weight of 1, told by their signs and sizes, and
so is the largest argument.
"""

import math
import re
import struct
import sys

# Relative, of the coefficients and of f32 arithmetic.
BOUND = 5.7e-7 + 1.5e-7


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


text = sys.stdin.read()
constants = [float(number) for number in re.findall(r"arith\.constant (-?[0-9.e+-]+) : f32", text)]
(c0,) = {c for c in constants if 0.99 < c < 1}
(c1,) = {c for c in constants if -0.34 < c < -0.33}
(c2,) = {c for c in constants if 0.12 < c < 0.13}
largest = 0.265625
assert largest in constants, f"expects the range {largest}"

worst = 0.0
steps = 100000
for step in range(1, steps + 1):
    x = f32(largest * step / steps)
    square = f32(x * x)
    # A fused multiply-add rounds once: float64 has room for the product.
    inner = f32(square * f32(c2) + f32(c1))
    value = f32(x * f32(square * inner + f32(c0)))
    worst = max(worst, abs(value / math.tanh(x) - 1))
assert worst < BOUND, f"expects an error below {BOUND}, got {worst}"
print(f"largest relative error {worst:.2e}")
