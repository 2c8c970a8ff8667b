# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of any library as the runtime wants them: address, type, sizes, strides, device.

Nothing is copied and the memory stays its owner's: a `View` keeps the object that it was made from, no more.
"""

import ctypes
import math
import sys
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p

from . import _abi
from ._errors import ArgumentError


class View:
    """A tensor without its library. `device` is (kind, index); sizes and strides count elements."""

    __slots__ = ("data", "type", "sizes", "strides", "device", "owner")

    def __init__(self, data, type, sizes, strides, device, owner):
        self.data = data
        self.type = type
        self.sizes = tuple(sizes)
        self.strides = tuple(strides)
        self.device = device
        self.owner = owner

    def permuted(self, order):
        """The same memory with its dimensions in another order."""
        return View(
            self.data,
            self.type,
            [self.sizes[d] for d in order],
            [self.strides[d] for d in order],
            self.device,
            self.owner,
        )

    def expanded(self, name, sizes):
        """Dimensions of size 1, and missing ones in front, repeated (stride 0) up to `sizes`."""
        missing = len(sizes) - len(self.sizes)
        own = (1,) * max(missing, 0) + self.sizes
        if missing < 0 or any(a not in (1, b) for a, b in zip(own, sizes)):
            raise ArgumentError(f"{name}: expects sizes that broadcast to {list(sizes)}, got {list(self.sizes)}")
        strides = (0,) * missing + self.strides
        strides = [0 if a == 1 else stride for a, stride in zip(own, strides)]
        return View(self.data, self.type, sizes, strides, self.device, self.owner)

    def descriptor(self, name):
        """The C structure. `name` is bytes that outlive it."""
        rank = len(self.sizes)
        tensor = _abi.Tensor(name=name, data=self.data, type=self.type, rank=rank)
        tensor.sizes[:rank] = self.sizes
        tensor.strides[:rank] = self.strides
        tensor.device = _abi.Device(*self.device)
        return tensor

    def key(self):
        """What a plan depends on: all but the address, and of that the alignment and whether there is one."""
        return self.type, self.sizes, self.strides, (self.data & 15 if self.data else None)


def device_name(device):
    return "the CPU" if device[0] == _abi.CPU else f"cuda:{device[1]}"


def contiguous_strides(sizes):
    return [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]


def torch_of(x):
    """The torch module where x is a torch tensor, else None. Does not import torch."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def view(name, x, stream=None, writable=False):
    """Describes x, which the caller calls `name`.

    x: a torch tensor, a numpy array, or anything with __dlpack__. `stream` is handed to __dlpack__ of CUDA tensors, so
    that their producer's pending work comes first. Raises ArgumentError.
    """
    torch = torch_of(x)
    if torch:
        made = _of_torch(torch, name, x)
    elif hasattr(x, "__array_interface__"):
        made = _of_array_interface(name, x, writable)
    elif hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        made = _of_dlpack(name, x, stream)
    else:
        raise ArgumentError(
            f"{name}: expects a torch tensor, a numpy array or an object with __dlpack__, got {type(x).__name__}"
        )
    if len(made.sizes) > _abi.MAX_RANK:
        raise ArgumentError(f"{name}: expects at most {_abi.MAX_RANK} dimensions, got {len(made.sizes)}")
    return made


def _unknown_type(name, got):
    return ArgumentError(f"{name}: expects elements of {', '.join(_abi.TYPE_NAMES.values())}, got {got}")


def torch_types(torch):
    return {
        torch.float16: _abi.F16,
        torch.bfloat16: _abi.BF16,
        torch.float32: _abi.F32,
        torch.float64: _abi.F64,
        torch.bool: _abi.I1,
        torch.int8: _abi.I8,
        torch.int16: _abi.I16,
        torch.int32: _abi.I32,
        torch.int64: _abi.I64,
    }


def _of_torch(torch, name, x):
    if x.layout != torch.strided or x.is_nested:
        raise ArgumentError(f"{name}: expects a dense tensor, got one of layout {x.layout}")
    if x.device.type not in ("cpu", "cuda"):
        raise ArgumentError(f"{name}: expects a tensor on the CPU or a CUDA device, got one on {x.device}")
    kind = torch_types(torch).get(x.dtype)
    if kind is None:
        raise _unknown_type(name, x.dtype)
    device = (_abi.CUDA, x.get_device()) if x.is_cuda else (_abi.CPU, 0)
    try:
        data = x.data_ptr()
    except RuntimeError as error:  # inside of torch.func.vmap, for one
        raise ArgumentError(f"{name}: expects a tensor with memory of its own, got one without: {error}") from None
    return View(data, kind, x.shape, x.stride(), device, x)


_ARRAY_TYPES = {
    "f2": _abi.F16,
    "f4": _abi.F32,
    "f8": _abi.F64,
    "b1": _abi.I1,
    "i1": _abi.I8,
    "i2": _abi.I16,
    "i4": _abi.I32,
    "i8": _abi.I64,
}


def _of_array_interface(name, x, writable):
    """numpy arrays come this way, since __dlpack__ refuses the read-only ones."""
    try:
        interface = x.__array_interface__
        typestr = interface["typestr"]
        kind = _ARRAY_TYPES.get(typestr[1:]) if typestr[0] in "<|=" else None
        data, read_only = interface["data"]
        sizes = interface["shape"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: expects an __array_interface__ with data, shape and typestr: {error}") from None
    if kind is None:
        raise _unknown_type(name, getattr(x, "dtype", typestr))
    if writable and read_only:
        raise ArgumentError(f"{name}: expects a writable array, got a read-only one")
    size = _abi.TYPE_BYTES[kind]
    strides = interface.get("strides")
    if strides is None:
        strides = contiguous_strides(sizes)
    elif any(stride % size for stride in strides):
        raise ArgumentError(f"{name}: expects strides of whole elements ({size} bytes), got {list(strides)} bytes")
    else:
        strides = [stride // size for stride in strides]
    return View(data, kind, sizes, strides, (_abi.CPU, 0), x)


class _DlTensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


_DL_DEVICES = {1: _abi.CPU, 3: _abi.CPU, 2: _abi.CUDA, 13: _abi.CUDA}  # 3: pinned host memory, 13: managed memory
_DL_TYPES = {
    (2, 16): _abi.F16,
    (4, 16): _abi.BF16,
    (2, 32): _abi.F32,
    (2, 64): _abi.F64,
    (6, 8): _abi.I1,
    (0, 8): _abi.I8,
    (0, 16): _abi.I16,
    (0, 32): _abi.I32,
    (0, 64): _abi.I64,
}


def _of_dlpack(name, x, stream):
    """The capsule is not consumed: the view keeps it, and it frees what it holds when it goes."""
    try:
        where = _DL_DEVICES.get(int(x.__dlpack_device__()[0]))
        # 1 is DLPack's name for CUDA's default stream.
        capsule = x.__dlpack__(stream=stream or 1) if where == _abi.CUDA else x.__dlpack__()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = _DlTensor.from_address(get(capsule, b"dltensor"))
    except Exception as error:
        raise ArgumentError(f"{name}: expects a tensor that __dlpack__ can hand over, got: {error}") from error
    kind = _DL_TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if where is None:
        raise ArgumentError(
            f"{name}: expects memory of the CPU or a CUDA device, got DLPack device type {tensor.device_type}"
        )
    if kind is None:
        raise _unknown_type(name, f"DLPack type code {tensor.code} of {tensor.bits} bits, {tensor.lanes} lanes")
    sizes = tensor.shape[: tensor.ndim]
    strides = tensor.strides[: tensor.ndim] if tensor.strides else contiguous_strides(sizes)
    device = (where, tensor.device_id if where == _abi.CUDA else 0)
    return View((tensor.data or 0) + tensor.byte_offset, kind, sizes, strides, device, (x, capsule))
