# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on torch tensors, on the first GPU where there is one. runtime/python/README.md shows these lines."""

import torch
import torch.nn.functional as F

import fa_attention

device = "cuda" if torch.cuda.is_available() else "cpu"
q = k = v = torch.ones(2, 8, 300, 64, dtype=torch.float16, device=device)


# [compile]
@torch.compile(fullgraph=True, backend="aot_eager")
def block(q, k, v):
    return fa_attention.attention(q, k, v, causal=True) + 1


with torch.no_grad():
    y = block(q, k, v)
# [compile end]
assert (y == 2).all()

# [replace]
with fa_attention.replace_sdpa(), torch.no_grad():
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
# [replace end]
assert (y == 1).all()

if device == "cuda":
    # [graph]
    y = fa_attention.attention(q, k, v, causal=True)  # once before: a capture cannot load kernels
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = fa_attention.attention(q, k, v, causal=True)
    graph.replay()
    # [graph end]
    torch.cuda.synchronize()
    assert (y == 1).all()
