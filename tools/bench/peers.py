# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels to measure against. Each peer takes q, k, v in [batch, head, sequence, dim] order and returns a call, or
None where it does not take the problem; a peer whose package is missing says so once and is left out."""

import math

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel


def sdpa(backend):
    def make(q, k, v, causal):
        def call():
            with sdpa_kernel(backend):
                return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

        return call

    return make


def flash3():
    """FlashAttention-3; the wheel in circulation has bf16 only."""
    import fa3_fwd_interface

    def make(q, k, v, causal):
        if q.dtype != torch.bfloat16:
            return None
        qs, ks, vs = (x.transpose(1, 2).contiguous() for x in (q, k, v))
        return lambda: first(fa3_fwd_interface.flash_attn_func(qs, ks, vs, causal=causal)).transpose(1, 2)

    return make


def flash4():
    """FlashAttention-4's kernel for sm_90."""
    from flash_attn.cute import flash_attn_func

    def make(q, k, v, causal):
        qs, ks, vs = (x.transpose(1, 2).contiguous() for x in (q, k, v))
        return lambda: first(flash_attn_func(qs, ks, vs, causal=causal)).transpose(1, 2)

    return make


def first(result):
    return result[0] if isinstance(result, (tuple, list)) else result


def cublas():
    """An 8192^3 f16 product, for scale: its figure does not depend on the problem."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.float16) for _ in range(2))
    return (lambda: torch.matmul(a, b)), 2 * 8192**3


MAKERS = {
    "cudnn": lambda: sdpa(SDPBackend.CUDNN_ATTENTION),
    "flash2": lambda: sdpa(SDPBackend.FLASH_ATTENTION),
    "flash3": flash3,
    "flash4": flash4,
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


def reference(q, k, v, causal, rows):
    """Attention of the first batch entry and head in float64, for some query rows (top-left causal)."""
    s = q[0, 0, rows].double() @ k[0, 0].double().T / math.sqrt(q.shape[-1])
    if causal:
        s.masked_fill_(torch.arange(k.shape[2], device=q.device)[None] > rows[:, None], -math.inf)
    return s.softmax(-1) @ v[0, 0].double()
