# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of single arguments. Each raises ArgumentError with the argument's name, what it expects and what it got."""

import math
import numbers
import struct

from . import _abi
from ._errors import ArgumentError
from ._tensors import device_name


def fail(name, expected, got):
    raise ArgumentError(f"{name}: expects {expected}, got {got}")


def choice(name, value, choices):
    if not isinstance(value, str) or value not in choices:
        fail(name, " or ".join(repr(c) for c in choices), repr(value))


def flag(name, value):
    if not isinstance(value, bool):
        fail(name, "True or False", f"{value!r} of type {type(value).__name__}")


def finite(name, value, positive=False):
    """A number that f32 holds, as a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        fail(name, "a number", repr(value))
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except (OverflowError, struct.error):  # an integer beyond any float
        single = math.inf
    if not math.isfinite(single) or (positive and single <= 0):
        fail(name, "a positive finite f32" if positive else "a finite f32", repr(value))
    return float(value)


def window(value):
    """(left, right), None for an absent bound."""
    if value is None:
        return None, None
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        fail("window", "(left, right), each a number of keys or None", repr(value))
    for bound in value:
        if bound is not None and (
            isinstance(bound, bool) or not isinstance(bound, numbers.Integral) or not 0 <= bound < 2**31
        ):
            fail("window", "bounds that are None or from 0 to 2147483647", repr(value))
    return tuple(None if bound is None else int(bound) for bound in value)


def types(name, v, allowed):
    if v.type not in allowed:
        fail(name, "elements of " + " or ".join(_abi.TYPE_NAMES[t] for t in allowed), _abi.TYPE_NAMES[v.type])


def sizes(name, v, expected, why=""):
    if v.sizes != tuple(expected):
        fail(name, f"sizes {list(expected)}{why}", list(v.sizes))


def device(name, v, expected):
    if v.device != expected:
        fail(name, f"memory of {device_name(expected)}, as q", device_name(v.device))


def unit_stride(name, v):
    if v.sizes[-1] > 1 and v.strides[-1] != 1:
        fail(name, "stride 1 in the last dimension (try .contiguous())", v.strides[-1])


def head_dim(name, size):
    if isinstance(size, bool) or not isinstance(size, numbers.Integral):
        fail(name, "an integer", repr(size))
    if size % 8 or not 8 <= size <= 256:
        fail(name, "a head dim (its last size) that is a multiple of 8 up to 256", size)
