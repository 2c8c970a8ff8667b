# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels to measure against. Each peer takes q, k, v in [batch, head, sequence, dim] order and the problem, and
returns a call, or None where it does not take the problem; a peer whose package is missing says so once and is left
out."""

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel


def sdpa(backend):
    def make(q, k, v, problem):
        if problem.left is not None:
            return None

        def call():
            with sdpa_kernel(backend):
                return functional.scaled_dot_product_attention(q, k, v, is_causal=problem.mask == "causal")

        return call

    return make


def in_sequence_order(function, q, k, v, problem):
    """A call of a function that has tensors in [batch, sequence, head, dim] order, flash-attn's arguments, and may
    give LSE as a second result."""
    qs, ks, vs = (x.transpose(1, 2).contiguous() for x in (q, k, v))
    flags = {"causal": problem.mask == "causal"}
    if problem.left is not None:
        flags["window_size"] = (problem.left, 0)

    def call():
        result = function(qs, ks, vs, **flags)
        return (result[0] if isinstance(result, (tuple, list)) else result).transpose(1, 2)

    return call


def flash3():
    """FlashAttention-3; the wheel in circulation has bf16 only."""
    from fa3_fwd_interface import flash_attn_func

    def make(q, k, v, problem):
        if q.dtype != torch.bfloat16:
            return None
        return in_sequence_order(flash_attn_func, q, k, v, problem)

    return make


def flash4():
    """FlashAttention-4's kernel for sm_90."""
    from flash_attn.cute import flash_attn_func

    return lambda q, k, v, problem: in_sequence_order(flash_attn_func, q, k, v, problem)


def triton():
    """Our own Triton kernel, the fastest of its configurations for each problem."""
    from triton_attention import tuned

    return tuned


def cublas():
    """An 8192^3 f16 product, for scale: its figure does not depend on the problem."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.float16) for _ in range(2))
    return (lambda: torch.matmul(a, b)), 2 * 8192**3


MAKERS = {
    "cudnn": lambda: sdpa(SDPBackend.CUDNN_ATTENTION),
    "flash2": lambda: sdpa(SDPBackend.FLASH_ATTENTION),
    "flash3": flash3,
    "flash4": flash4,
    "triton": triton,
}


def load(names):
    """The peers of these names that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = MAKERS[name]()
        except Exception as error:
            print(f"no {name}: {error!r:.200}", flush=True)
    return found
