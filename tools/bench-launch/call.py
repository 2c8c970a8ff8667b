# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU time of one call of fa_attention.attention on torch tensors, beside torch's own: python3 call.py.

Where there is no CUDA device the launch is left out, and what is timed is the way to it.
"""

import time

import torch
import torch.nn.functional as F

import fa_attention
from fa_attention import _torch

CUDA = torch.cuda.is_available()
ROUNDS, CALLS = 60, 200  # few calls a round, so that the queue of launches never fills


def microseconds(call):
    """CPU time of this thread a call: the median and the least of the rounds."""
    rounds = []
    for _ in range(ROUNDS):
        if CUDA:
            torch.cuda.synchronize()
        start = time.thread_time()
        for _ in range(CALLS):
            call()
        rounds.append((time.thread_time() - start) / CALLS * 1e6)
    rounds.sort()
    return rounds[ROUNDS // 2], rounds[0]


def main():
    device = "cuda" if CUDA else "cpu"
    q, k, v = (torch.randn(1, 1, 64, 128, device=device).to(torch.float16) for _ in range(3))
    out, lse = torch.empty_like(q), torch.empty(1, 1, 64, device=device)
    attention = fa_attention.attention
    calls = {
        "out=": lambda: attention(q, k, v, out=out),
        "a new output": lambda: attention(q, k, v),
        "return_lse=True": lambda: attention(q, k, v, return_lse=True),
        "return_lse=True, out=, lse_out=": lambda: attention(q, k, v, return_lse=True, out=out, lse_out=lse),
    }
    with torch.inference_mode():
        for call in calls.values():
            call()
        if CUDA:
            calls["torch's own"] = lambda: F.scaled_dot_product_attention(q, k, v)
        else:
            for ready in _torch._ready.values():
                ready.launch = lambda *arguments: 0
        print("CPU time of one call in microseconds" + ("" if CUDA else ", without the launch") + ": median, least")
        for name, call in calls.items():
            print("{:34}{:6.1f}{:6.1f}".format(name, *microseconds(call)))


if __name__ == "__main__":
    main()
