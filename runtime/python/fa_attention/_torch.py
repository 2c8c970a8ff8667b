# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`attention` for torch tensors: the short way of a call that was made before, and custom ops for torch.compile."""

import ctypes
import functools
import struct
import sys
from typing import List, Optional, Tuple

import torch
from torch import Tensor

from . import _arrays, _attention
from ._arrays import of_thread
from ._attention import EXTRAS, run
from ._errors import ArgumentError, LibraryError
from ._tensors import contiguous_strides

if not hasattr(torch.library, "custom_op"):
    raise LibraryError(f"torch: expects version 2.4 or newer, got {torch.__version__}")

_ready = {}  # what a call looks like -> _Ready
_recent = {}  # options, and which outputs are given -> the _Ready of the last such call without extras
_MOST_READY = 4096
_MOST_GUARDS = 4  # that are made for one kind of call, where torch's mode changes or a guard never holds

# The public functions do more than is needed on the short way.
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", lambda i: torch.cuda.current_stream(i).cuda_stream)
_current_device = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)
_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 0)
_grad_enabled, _is_compiling = torch.is_grad_enabled, torch.compiler.is_compiling
_PLAIN = (Tensor, torch.nn.Parameter)


class _Ready:
    """What is left of a call that was checked: its plan and the outputs to allocate."""

    __slots__ = ("launch", "handle", "pack", "count", "plan", "new_out", "new_lse", "index", "check", "guards")

    def __init__(self, plan, out, lse):
        self.plan = plan  # owns the handle
        self.index, self.check, self.guards = out.get_device(), _differs, 0
        # ctypes takes values of its own kinds faster than numbers.
        self.launch, self.handle, self.count = plan._launch, plan._handle, ctypes.c_size_t(plan.count)
        self.pack = struct.Struct(f"{plan.count}P").pack  # an array of addresses in a tenth of the time of ctypes'
        self.new_out, self.new_lse = _maker(out), None if lse is None else _maker(lse)


def _differs(*tensors):
    return False


def _guard(given):
    """A function that tells whether tensors are like these: types, devices, sizes, strides."""
    # What torch.compile's own code asks takes less time than a key and its hash. It may say no to tensors that are
    # alike: where torch is in another mode than now, and always where two of them are one.
    try:
        make = torch._C._dynamo.guards.TensorGuards
        check = make(*given, dynamic_dims_sizes=None, dynamic_dims_strides=None).check
        return check if check(*given) is True else _differs
    except (AttributeError, RuntimeError, TypeError):  # torch's own affair, which other versions may not have
        return _differs


def _maker(x):
    """A function that makes a contiguous tensor of x's kind and sizes, on the current device of x's type."""
    # What torch.compile's own code calls takes half the time, since nothing is dispatched.
    guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
    make = getattr(guards, f"_empty_strided_{x.device.type}", None)
    if make is not None:
        strides = tuple(contiguous_strides(x.shape))
        try:
            made = make(tuple(x.shape), strides, x.dtype)
            if (made.shape, made.stride(), made.dtype) == (x.shape, strides, x.dtype):
                return functools.partial(make, tuple(x.shape), strides, x.dtype)
        except (RuntimeError, TypeError):  # it is torch's own affair, and other versions may have another one
            pass
    pattern = torch.empty(1, dtype=x.dtype, device=x.device).expand(x.shape)  # has no memory worth speaking of
    return functools.partial(torch.empty_like, pattern)


def attention(q, k, v, extras, options, out, lse_out, stream):
    """fa_attention.attention, which documents it. extras: as EXTRAS names them, or None.

    options: as the fields of Options. A plain tuple, since this is the way of each call.
    """
    if _is_compiling():
        return _traced(q, k, v, extras, options, out, lse_out, stream)
    if extras is None and type(q) is type(k) is type(v) is Tensor and not _modes():
        if not _grad_enabled() or not (
            q.requires_grad or k.requires_grad or v.requires_grad or out is not None and _needs_grad(out)
        ):
            return _launch(q, k, v, None, options, out, lse_out, stream)
    given = (q, k, v) if extras is None else (q, k, v, *extras)
    if not all(x is None or isinstance(x, Tensor) for x in given):
        return run(q, k, v, extras, options, out, lse_out, stream)[0]
    if _grad_enabled():
        for x in given:
            if x is not None and x.requires_grad:
                _refuse_gradient(given, x)
        if _needs_grad(out):
            raise ArgumentError("out: expects a tensor that needs no gradient")
    if type(q) not in _PLAIN or _modes():
        return _traced(q, k, v, extras, options, out, lse_out, stream)
    return _launch(q, k, v, extras, options, out, lse_out, stream)


def _needs_grad(x):
    return x is not None and getattr(x, "requires_grad", False)


def _refuse_gradient(given, x):
    name = next(name for name, other in zip(("q", "k", "v", *EXTRAS), given) if other is x)
    raise ArgumentError(
        f"{name}: expects a tensor that needs no gradient, since attention is forward only; call it under "
        "torch.no_grad() or torch.inference_mode()"
    )


def _key(q, k, v, extras, options, out, lse_out):
    """What the plan of a call depends on but for addresses; None where q, k and v are not of one kind."""
    kind, index = q.dtype, q.get_device()
    # Compared here, since hashing three types and devices takes longer. The long way says what is wrong.
    if k.dtype is not kind or v.dtype is not kind or k.get_device() != index or v.get_device() != index:
        return None
    key = (kind, index, q.shape, q.stride(), k.shape, k.stride(), v.shape, v.stride(), options)
    if extras is None and out is lse_out is None:
        return key
    given = (out, lse_out) if extras is None else (out, lse_out, *extras)
    return (key, *[None if x is None else (x.dtype, x.get_device(), x.shape, x.stride()) for x in given])


def _given(q, k, v, out, lse_out):
    if lse_out is None:
        return (q, k, v) if out is None else (q, k, v, out)
    return (q, k, v, lse_out) if out is None else (q, k, v, out, lse_out)


def _find(place, q, k, v, extras, options, out, lse_out):
    """The key of the call, and its _Ready where it was made before. It is then the recent one of its place."""
    key = _key(q, k, v, extras, options, out, lse_out)
    ready = _ready.get(key)
    if ready is not None and place is not None:
        if _recent.get(place) is ready and ready.guards < _MOST_GUARDS:  # none yet, or made in another mode of torch
            ready.check = _guard(_given(q, k, v, out, lse_out))
            ready.guards += 1
        _recent[place] = ready
    return key, ready


def _launch(q, k, v, extras, options, out, lse_out, stream):
    try:
        place = (options, out is None, lse_out is None) if extras is None else None
        ready = _recent.get(place)
        key = None
        if ready is None or not ready.check(*_given(q, k, v, out, lse_out)):
            key, ready = _find(place, q, k, v, extras, options, out, lse_out)
            if key is None:
                return run(q, k, v, extras, options, out, lse_out, stream)[0]
        # On another device than the current one, and in a thread's first call, the context has to be made current.
        index = -1 if ready is None else ready.index
        if ready is None or index >= 0 and (index != _current_device() or index not in of_thread.devices):
            key = key or _key(q, k, v, extras, options, out, lse_out)
            return _first(key, q, k, v, extras, options, out, lse_out, stream)
        if stream is not None:
            stream = _arrays.stream_of(q, stream)
        elif index >= 0:
            stream = _raw_stream(index)
        o = ready.new_out() if out is None else out
        lse = ready.new_lse() if lse_out is None and ready.new_lse is not None else lse_out
        if extras is not None:
            addresses = [x.data_ptr() for x in (q, k, v, *extras, o, lse) if x is not None]
        elif lse is not None:
            addresses = (q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), lse.data_ptr())
        else:
            addresses = (q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr())
    except (AttributeError, RuntimeError, TypeError):  # without strides, a hash or memory: the long way says what
        return run(q, k, v, extras, options, out, lse_out, stream)[0]
    # An address of 0 would stand for the one of the first call. The long way says what is wrong, or prepares for
    # another alignment.
    if 0 in addresses or ready.launch(ready.handle, ready.pack(*addresses), ready.count, stream):
        return run(q, k, v, extras, options, out, lse_out, stream)[0]
    return (o, lse) if options[-1] else o


def _first(key, q, k, v, extras, options, out, lse_out, stream):
    result, plan = run(q, k, v, extras, options, out, lse_out, stream)
    o, lse = result if options[-1] else (result, lse_out)
    if not (q.data_ptr() | k.data_ptr() | v.data_ptr() | o.data_ptr()) & 15:
        if len(_ready) >= _MOST_READY:
            _ready.clear()
            _recent.clear()
        _ready[key] = _Ready(plan, o, lse)
    return result


def _window(left, right):
    return None if left is right is None else (left, right)


@torch.library.custom_op("fa_attention::attention", mutates_args=())
def _op(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    extras: List[Optional[Tensor]],
    causal: bool,
    left: Optional[int],
    right: Optional[int],
    alignment: str,
    scale: Optional[float],
    softcap: Optional[float],
    layout: str,
    return_lse: bool,
) -> Tuple[Tensor, Tensor]:
    options = (causal, _window(left, right), alignment, scale, softcap, layout, return_lse)
    result = _launch(q, k, v, tuple(extras) or None, options, None, None, None)
    return result if return_lse else (result, q.new_empty(0, dtype=torch.float32))


@_op.register_fake
def _fake(q, k, v, extras, causal, left, right, alignment, scale, softcap, layout, return_lse):
    sizes = q.shape[:-1] + v.shape[-1:]
    if not return_lse:
        return q.new_empty(sizes), q.new_empty(0, dtype=torch.float32)
    lse = {"bhsd": q.shape[:-1], "bshd": (q.shape[0], q.shape[-2], q.shape[1])}.get(layout, (q.shape[-2], q.shape[0]))
    return q.new_empty(sizes), q.new_empty(lse, dtype=torch.float32)


@torch.library.custom_op("fa_attention::attention_out", mutates_args=("out", "lse_out"))
def _op_out(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    extras: List[Optional[Tensor]],
    causal: bool,
    left: Optional[int],
    right: Optional[int],
    alignment: str,
    scale: Optional[float],
    softcap: Optional[float],
    layout: str,
    out: Tensor,
    lse_out: Optional[Tensor],
) -> None:
    options = (causal, _window(left, right), alignment, scale, softcap, layout, False)
    _launch(q, k, v, tuple(extras) or None, options, out, lse_out, None)


@_op_out.register_fake
def _fake_out(q, k, v, extras, causal, left, right, alignment, scale, softcap, layout, out, lse_out):
    return None


def _traced(q, k, v, extras, options, out, lse_out, stream):
    """The call as one op of a graph."""
    if stream is not None:
        raise ArgumentError("stream: expects None in a compiled function, which has a stream of its own")
    if torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad):
        raise ArgumentError("q, k, v: expects tensors that need no gradient, since attention is forward only")
    causal, window, alignment, scale, softcap, layout, return_lse = options
    left, right = (None, None) if window is None else window
    extras = [] if extras is None else list(extras)
    arguments = (q, k, v, extras, causal, left, right, alignment, scale, softcap, layout)
    if out is None and lse_out is None:
        o, lse = torch.ops.fa_attention.attention(*arguments, return_lse)
        return (o, lse) if return_lse else o
    if out is None or (return_lse and lse_out is None):
        raise ArgumentError("out, lse_out: expects all outputs or none of them in a compiled function")
    torch.ops.fa_attention.attention_out(*arguments, out, lse_out)
    return (out, lse_out) if return_lse else out


_attention.torch_backend = sys.modules[__name__]
