# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch's scaled_dot_product_attention by our kernels, where they can; else by torch, with a note."""

import contextlib

from ._attention import attention
from ._errors import CaptureError, FaError, LibraryError, UnsupportedError, note_once

_original = None  # torch's own function, while ours is in its place


def _torchs_own():
    import torch

    return _original or torch.nn.functional.scaled_dot_product_attention


def _why_not(q, k, v, attn_mask, dropout_p, is_causal, enable_gqa):
    """What our kernels do not do of this call; None where they do all."""
    import torch

    if not torch.compiler.is_compiling() and not type(q) is type(k) is type(v) is torch.Tensor:
        return "tensors of a subclass"
    if dropout_p:
        return "dropout"
    if torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad):
        return "gradients"
    if q.dtype not in (torch.float16, torch.bfloat16) or k.dtype != q.dtype or v.dtype != q.dtype:
        return f"elements of {q.dtype}"
    if q.device.type not in ("cuda", "cpu") or k.device != q.device or v.device != q.device:
        return f"tensors on {q.device.type}, or on several devices"
    if q.dim() not in (3, 4) or k.dim() != q.dim() or v.dim() != q.dim():
        return f"tensors of {q.dim()} dimensions"
    if q.shape[0] != k.shape[0] or k.shape[:-1] != v.shape[:-1] or q.shape[-1] != k.shape[-1]:
        return "sizes that broadcast"
    if q.dim() == 4 and q.shape[1] != k.shape[1] and (not enable_gqa or not k.shape[1] or q.shape[1] % k.shape[1]):
        return "key heads that broadcast without enable_gqa"
    if any(x.shape[-1] % 8 or not 8 <= x.shape[-1] <= 256 for x in (q, v)):
        return f"head dim {q.shape[-1]} or {v.shape[-1]}"
    if any(x.stride(-1) != 1 for x in (q, k, v)):
        return "a last dimension with another stride than 1"
    return None if attn_mask is None else _why_not_mask(torch, q, k, attn_mask, is_causal)


def _why_not_mask(torch, q, k, attn_mask, is_causal):
    if is_causal:
        return "is_causal together with attn_mask"
    if attn_mask.dtype not in (torch.bool, q.dtype, torch.float32):
        return f"attn_mask of {attn_mask.dtype}"
    if (
        attn_mask.device != q.device
        or attn_mask.dim() > q.dim()
        or (torch.is_grad_enabled() and attn_mask.requires_grad)
    ):
        return "attn_mask on another device, with more dimensions, or with a gradient"
    sizes = (*q.shape[:-1], k.shape[-2])
    own = attn_mask.shape
    if any(a not in (1, b) for a, b in zip(own, sizes[len(sizes) - len(own) :])):
        return f"attn_mask of sizes {list(own)}"
    return None


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """torch.nn.functional.scaled_dot_product_attention: the same arguments, sizes and result.

    query, key, value: torch tensors [B, H, S, D] or [B, S, D] of f16 or bf16, on CUDA or the CPU. What our kernels do
    not do (dropout, gradients, f32, other head dims, ...) is left to torch, and a FallbackNote says so, once for each
    reason.
    A row that a bool attn_mask empties is 0 here. Raises what torch raises, and ArgumentError or DeviceError.
    """
    reason = _why_not(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa)
    if reason is None:
        try:
            return _ours(query, key, value, attn_mask, is_causal, scale)
        except (UnsupportedError, LibraryError, CaptureError) as error:
            reason = str(error)
    _note(reason)
    # Older versions of torch have no enable_gqa.
    more = {"enable_gqa": True} if enable_gqa else {}
    return _torchs_own()(
        query, key, value, attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale, **more
    )


def _note(reason):
    import torch

    if not torch.compiler.is_compiling():
        note_once(f"scaled_dot_product_attention is left to torch: {reason}")


def _ours(q, k, v, attn_mask, is_causal, scale):
    import torch

    heads = q.dim() == 4
    if not heads:
        q, k, v = q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)
        if attn_mask is not None and attn_mask.dim() == 3:
            attn_mask = attn_mask.unsqueeze(1)
    is_bool = attn_mask is not None and attn_mask.dtype == torch.bool
    o = attention(
        q,
        k,
        v,
        causal=is_causal,
        alignment="top_left",
        scale=scale,
        mask=attn_mask if is_bool else None,
        bias=None if is_bool else attn_mask,
    )
    return o if heads else o.squeeze(1)


@contextlib.contextmanager
def replace_sdpa():
    """Puts scaled_dot_product_attention of this module in the place of torch.nn.functional's, until the block ends.

        with fa_attention.replace_sdpa():
            y = model(x)

    For the whole process: other threads see it, too. Code that took a reference to torch's function before is not
    reached. Raises FaError where torch is missing, or where it is in place already.
    """
    global _original
    try:
        import torch
    except ImportError:
        raise LibraryError("replace_sdpa expects torch, which is not installed") from None
    if _original is not None:
        raise FaError("replace_sdpa: is in place already")
    _original = torch.nn.functional.scaled_dot_product_attention
    torch.nn.functional.scaled_dot_product_attention = scaled_dot_product_attention
    try:
        yield
    finally:
        torch.nn.functional.scaled_dot_product_attention = _original
        _original = None
