# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU time of one call of fa_attention.attention on torch tensors, and over a bare cuLaunchKernel: python3 call.py.

Where there is no CUDA device the launch is left out, and what is timed is the way to it.
"""

import ctypes
import random
import statistics
import time

import torch
import torch.nn.functional as F

import fa_attention
from fa_attention import _torch

CUDA = torch.cuda.is_available()
ROUNDS, CALLS = 100, 200  # few calls a round, so that the queue of launches never fills
PARAMETERS = 24  # of the bare kernel; ours have about as many
BARE, CTYPES, OWN = "bare cuLaunchKernel", "ctypes alone", "torch's own"


def do_nothing():
    """A C function that takes any arguments and has nothing to do: it looks at the first, which is to be a number."""
    return ctypes.CDLL(None)["abs"]


def bare_calls():
    """cuLaunchKernel with prepared arguments, of a kernel that does nothing; and what of that is the way from Python."""
    driver = ctypes.CDLL("libcuda.so.1")
    text = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry bare("
    text += ", ".join(f".param .u64 p{i}" for i in range(PARAMETERS)) + ") { ret; }\n"
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    values = (ctypes.c_uint64 * PARAMETERS)()
    pointers = (ctypes.c_void_p * PARAMETERS)(*(ctypes.addressof(values) + 8 * i for i in range(PARAMETERS)))
    sizes = [ctypes.c_uint(size) for size in (1, 1, 1, 32, 1, 1, 0)]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    launch, nothing = driver.cuLaunchKernel, do_nothing()
    arguments = (function, *sizes, stream, pointers, None)
    if (
        driver.cuModuleLoadDataEx(ctypes.byref(module), text.encode(), 0, None, None)
        or driver.cuModuleGetFunction(ctypes.byref(function), module, b"bare")
        or launch(*arguments)
    ):
        raise SystemExit("error: the driver does not load and launch an empty kernel")
    # The values live as long as the function that holds the addresses.
    return {BARE: lambda: launch(*arguments) or values, CTYPES: lambda: nothing(*arguments) or values}


def measure(calls):
    """CPU time of this thread a call, by name, one number a round. All take turns, in a new order each round, so that
    a slow time of the machine is one for all of them."""
    times = {name: [] for name in calls}
    turns = list(calls.items())
    for _ in range(ROUNDS):
        random.shuffle(turns)
        for name, call in turns:
            if CUDA:
                torch.cuda.synchronize()
            start = time.thread_time()
            for _ in range(CALLS):
                call()
            times[name].append((time.thread_time() - start) / CALLS * 1e6)
    return times


def line(name, times, bare):
    """Median and least, and the same over the bare launch: of the differences of each round, and of the least ones."""
    text = f"{name:34}{statistics.median(times):8.1f}{min(times):7.1f}"
    if bare and times is not bare:
        over = statistics.median(a - b for a, b in zip(times, bare))
        text += f"{over:14.1f}{min(times) - min(bare):7.1f}"
    return text


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
            calls = {**bare_calls(), **calls, OWN: lambda: F.scaled_dot_product_attention(q, k, v)}
        else:
            for ready in _torch._ready.values():
                ready.launch, ready.handle = do_nothing(), ctypes.c_void_p()
        times = measure(calls)
    bare = None
    if CUDA:
        bare = times[BARE] = [both - way for both, way in zip(times[BARE], times.pop(CTYPES))]
    print("CPU time of one call in microseconds" + ("; over it" if CUDA else ", without the launch"))
    print(" " * 36 + "median  least" + ("   over: median  least" if CUDA else ""))
    for name, of_name in times.items():
        print(line(name, of_name, bare))


if __name__ == "__main__":
    main()
