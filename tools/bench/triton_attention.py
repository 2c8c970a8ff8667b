# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flash attention forward in Triton, to measure against: what a good Triton kernel reaches, not more.

Rows of q, k, v and o are one long matrix [batch * heads * seq, dim] that is loaded and stored by TMA descriptors, so
sequences have to be multiples of the tiles. Head dims that are no power of two are padded to one by the descriptors.
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def _span(
    q,
    acc,
    l,
    m,
    k_rows,
    v_rows,
    base,
    start,
    stop,
    row,
    left,
    scale,
    N: tl.constexpr,
    MASKED: tl.constexpr,
    WINDOW: tl.constexpr,
):
    """Key tiles [start, stop), N keys each; (acc, l, m): the online softmax's state, in log2 units."""
    for key in tl.range(start, stop, N):
        k = k_rows.load([base + key, 0])
        s = tl.dot(q, k.T) * scale
        if MASKED:
            columns = key + tl.arange(0, N)[None, :]
            keep = columns <= row[:, None]
            if WINDOW:
                keep = keep & (columns >= row[:, None] - left)
            s = tl.where(keep, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        # A window's first tiles may hold no key of a row.
        reference = tl.where(m_new == float("-inf"), 0.0, m_new) if WINDOW else m_new
        p = tl.math.exp2(s - reference[:, None])
        factor = tl.math.exp2(m - reference)
        l = l * factor + tl.sum(p, 1)
        v = v_rows.load([base + key, 0])
        acc = tl.dot(p.to(v.dtype), v, acc * factor[:, None])
        m = m_new
    return acc, l, m


@triton.jit
def _forward(
    q_rows,
    k_rows,
    v_rows,
    o_rows,
    seq,
    left,
    scale,
    M: tl.constexpr,
    N: tl.constexpr,
    DV: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
):
    tile = tl.program_id(0)
    if CAUSAL:  # the longest tiles first
        tile = tl.num_programs(0) - 1 - tile
    base = tl.program_id(1) * seq
    first = tile * M
    row = first + tl.arange(0, M)
    q = q_rows.load([base + first, 0])
    acc = tl.zeros([M, DV], tl.float32)
    l = tl.zeros([M], tl.float32)
    m = tl.full([M], float("-inf"), tl.float32)
    if WINDOW:
        start = tl.maximum(first - left, 0) // N * N
        acc, l, m = _span(q, acc, l, m, k_rows, v_rows, base, start, first + M, row, left, scale, N, True, True)
    elif CAUSAL:
        whole = first // N * N
        acc, l, m = _span(q, acc, l, m, k_rows, v_rows, base, 0, whole, row, left, scale, N, False, False)
        acc, l, m = _span(q, acc, l, m, k_rows, v_rows, base, whole, first + M, row, left, scale, N, True, False)
    else:
        acc, l, m = _span(q, acc, l, m, k_rows, v_rows, base, 0, seq, row, left, scale, N, False, False)
    o_rows.store([base + first, 0], (acc / l[:, None]).to(o_rows.dtype))


# Query rows, keys, warps, stages; by the width of the accumulator.
CONFIGURATIONS = {
    64: [(128, 128, 8, 2), (128, 64, 4, 3), (128, 64, 8, 3), (64, 128, 4, 3)],
    128: [(128, 128, 8, 2), (128, 64, 8, 3), (64, 64, 4, 3)],
    256: [(128, 64, 8, 2), (64, 64, 4, 2), (128, 32, 8, 3)],
}


def configurations(dim, dv):
    width = max(triton.next_power_of_2(max(dim, dv)), 64)
    return CONFIGURATIONS[width]


def launcher(q, k, v, o, problem, configuration):
    """A call of the kernel in one configuration."""
    m, n, warps, stages = configuration
    wide = [triton.next_power_of_2(x) for x in (problem.dim, problem.dim, problem.dv, problem.dv)]
    rows = [
        TensorDescriptor.from_tensor(x.reshape(-1, x.shape[-1]), [tile, columns])
        for x, tile, columns in zip((q, k, v, o), (m, n, n, m), wide)
    ]
    grid = (problem.seq // m, problem.batch * problem.heads)
    scale = problem.dim**-0.5 * 1.4426950408889634
    flags = {"CAUSAL": problem.mask != "none", "WINDOW": problem.left is not None}

    def call():
        _forward[grid](
            *rows,
            problem.seq,
            problem.left or 0,
            scale,
            M=m,
            N=n,
            DV=wide[2],
            **flags,
            num_warps=warps,
            num_stages=stages,
        )
        return o

    return call


def tuned(q, k, v, problem):
    """The fastest configuration's call; None where none takes the problem."""
    best, best_time, reason = None, float("inf"), None
    o = torch.empty(*q.shape[:3], problem.dv, device=q.device, dtype=q.dtype)
    for configuration in configurations(problem.dim, problem.dv):
        if problem.seq % max(configuration[:2]):
            continue
        call = launcher(q, k, v, o, problem, configuration)
        try:
            call()
            time = triton.testing.do_bench(call, warmup=4, rep=12, return_mode="median")
        except (triton.runtime.errors.OutOfResources, triton.runtime.errors.PTXASError) as error:
            reason = error
            continue
        if time < best_time:
            best, best_time = call, time
    if reason and not best:
        raise reason
    return best
