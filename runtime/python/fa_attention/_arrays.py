# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What differs from one tensor library to another: allocating, the current stream, the current device."""

import contextlib
import sys
import threading

from . import _abi
from ._errors import ArgumentError
from ._tensors import torch_of

_TORCH_NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i32": "int32"}


class _OfThread(threading.local):
    devices = frozenset()  # the CUDA devices whose contexts this thread has made current before


of_thread = _OfThread()


def empty(like, sizes, type_name):
    """A new tensor of `like`'s library, on its device, contiguous."""
    kind = _TORCH_NAMES.get(type_name, type_name)
    torch = torch_of(like)
    if torch:
        return torch.empty(tuple(sizes), dtype=getattr(torch, kind), device=like.device)
    try:
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(like, numpy.ndarray):
            return numpy.empty(tuple(sizes), dtype=kind)
        if hasattr(like, "__array_namespace__"):
            space = like.__array_namespace__()
            return space.empty(tuple(sizes), dtype=getattr(space, kind), device=getattr(like, "device", None))
    except (AttributeError, TypeError) as error:
        raise ArgumentError(f"out: has to be given for tensors of {type(like).__name__}: {error}") from None
    raise ArgumentError(f"out: has to be given for tensors of {type(like).__name__}, which says not how to allocate")


def stream_of(like, stream):
    """The handle to launch on: the caller's, torch's current one, or the default stream (None)."""
    if stream is not None:
        handle = getattr(stream, "cuda_stream", stream)  # a torch.cuda.Stream, or the number itself
        if isinstance(handle, bool) or not isinstance(handle, int):
            raise ArgumentError(f"stream: expects a torch.cuda.Stream or the handle of one, got {stream!r}")
        return handle or None
    torch = torch_of(like)
    if torch and like.is_cuda:
        return torch.cuda.current_stream(like.device).cuda_stream or None
    return None


@contextlib.contextmanager
def device_of(like, device):
    """Makes a CUDA device current in this thread, its context too; with torch, until the block ends."""
    if device[0] != _abi.CUDA:
        yield
        return
    torch = torch_of(like)
    with torch.cuda.device(device[1]) if torch else contextlib.nullcontext():
        use_context(device[1], always=not torch)
        yield


def use_context(index, always=False):
    """Makes the primary context of a device current: once a thread where something else keeps it so."""
    if always or index not in of_thread.devices:
        device = _abi.Device(_abi.CUDA, index)
        _abi.check(_abi.library().fa_device_use(device))
        if index in of_thread.devices:  # one hold on the context is enough
            _abi.check(_abi.library().fa_device_release(device))
        of_thread.devices |= {index}
