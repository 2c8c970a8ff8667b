# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on numpy arrays, on the CPU. runtime/python/README.md shows these lines."""

import numpy as np

# [call]
import fa_attention

q = np.ones((2, 8, 100, 64), np.float16)  # [batch, heads, queries, head dim]
k = v = np.ones((2, 2, 300, 64), np.float16)  # four query heads share a key/value head
o = fa_attention.attention(q, k, v, causal=True)
# [call end]
assert o.shape == q.shape and (o == 1).all()

# [options]
lengths = np.array([300, 17], np.int32)  # keys that exist, one number a batch entry
out = np.empty_like(q)
o, lse = fa_attention.attention(q, k, v, kv_lengths=lengths, softcap=30.0, scale=0.1, out=out, return_lse=True)
# [options end]
assert o is out and lse.shape == (2, 8, 100)

# [ahead]
path = fa_attention.precompile("kernels", chip="cpu", head_dim=64, causal=True)  # or chip="sm_90a", ...
kernel = fa_attention.load(path)
o = kernel(q, k, v)
# [ahead end]
assert (o == 1).all() and kernel.inputs == ("q", "k", "v")

# [errors]
try:
    fa_attention.attention(q, k.astype(np.float32), v)
except fa_attention.ArgumentError as error:
    print(error)  # k: expects elements of f16, got f32
# [errors end]
