# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention kernels of the fa compiler, from Python: `attention`, `load`, `precompile`, `replace_sdpa`.

    import fa_attention
    o = fa_attention.attention(q, k, v, causal=True)

README.md beside this package says how it finds the runtime and the compiler.
"""

import sys

from ._attention import attention
from ._errors import (
    ArgumentError,
    ArtifactError,
    CaptureError,
    CompileError,
    DeviceError,
    FaError,
    FallbackNote,
    LibraryError,
    UnsupportedError,
)
from ._kernel import Kernel, Plan, load
from ._precompile import precompile
from ._sdpa import replace_sdpa, scaled_dot_product_attention

if "torch" in sys.modules:  # else with the first torch tensor
    from . import _torch

__version__ = "0.1.0"
__all__ = [
    "ArgumentError",
    "ArtifactError",
    "CaptureError",
    "CompileError",
    "DeviceError",
    "FaError",
    "FallbackNote",
    "Kernel",
    "LibraryError",
    "Plan",
    "UnsupportedError",
    "attention",
    "load",
    "precompile",
    "replace_sdpa",
    "scaled_dot_product_attention",
]
