# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention by its definition, in float64, on numpy arrays in [batch, head, sequence, dim] order."""

import numpy as np


def attend(
    q,
    k,
    v,
    causal=False,
    window=None,
    alignment="bottom_right",
    scale=None,
    softcap=None,
    bias=None,
    alibi_slopes=None,
    mask=None,
    sink=None,
    kv_lengths=None,
):
    """(o, lse). The arguments are those of fa_attention.attention."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    s = np.einsum("bhid,bhjd->bhij", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    i, j = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])[None]
    if softcap is not None:
        s = softcap * np.tanh(s / softcap)
    if bias is not None:
        s = s + bias.astype(np.float64)
    if alibi_slopes is not None:
        s = s + alibi_slopes.astype(np.float64)[:, None, None] * (j - i)
    keys = np.full(q.shape[0], k.shape[2]) if kv_lengths is None else kv_lengths
    keys = keys[:, None, None, None]
    offset = keys - q.shape[2] if alignment == "bottom_right" else 0
    left, right = window or (None, None)
    keep = np.broadcast_to(j < keys, s.shape).copy()
    for bound in [0] * causal + [right] * (right is not None):
        keep &= j <= i + offset + bound
    if left is not None:
        keep &= j >= i + offset - left
    if mask is not None:
        keep &= mask
    return _softmax(np.where(keep, s, -np.inf), np.where(np.broadcast_to(j < keys, s.shape), 1, 0), v, sink)


def _softmax(s, exists, v, sink):
    if sink is not None:
        sink = np.broadcast_to(sink.astype(np.float64)[:, None, None], s.shape[:-1] + (1,))
        s = np.concatenate([s, sink], axis=-1)
    m = s.max(-1, keepdims=True, initial=-np.inf)
    m = np.where(np.isinf(m), 0, m)
    p = np.exp(s - m)
    total = p.sum(-1, keepdims=True)
    p = p[..., : exists.shape[-1]] / np.where(total == 0, 1, total)
    with np.errstate(divide="ignore"):
        return np.einsum("bhij,bhjd->bhid", p, v), (m + np.log(total))[..., 0]


def random(seed, *shape, dtype=np.float16):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def problem(seed=1, batch=2, heads=4, kv_heads=2, queries=33, keys=70, dim=64, v_dim=64):
    """q, k, v"""
    return (
        random(seed, batch, heads, queries, dim),
        random(seed + 1, batch, kv_heads, keys, dim),
        random(seed + 2, batch, kv_heads, keys, v_dim),
    )


def close(o, expected, limit=6e-4):
    """Fails where the relative Frobenius error is above the limit of f16."""
    error = np.linalg.norm(o.astype(np.float64) - expected) / max(np.linalg.norm(expected), 1e-30)
    assert error <= limit, f"relative error {error:.2e}, limit {limit:.0e}"


def close_lse(lse, expected):
    finite = np.isfinite(expected)
    assert (np.isfinite(lse) == finite).all(), "lse is finite in other rows"
    error = np.abs(lse[finite] - expected[finite]).max(initial=0)
    assert error <= 1e-3, f"error of lse {error:.2e}"
