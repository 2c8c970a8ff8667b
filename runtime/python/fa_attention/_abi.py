# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime's C ABI (runtime/fa_runtime.h) through ctypes: structures, the library, status codes as exceptions."""

import ctypes
import functools
import os
import sys
from ctypes import POINTER, Structure, Union, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p

from . import _errors

MAX_RANK = 8
F16, BF16, F32, F64, I1, I8, I16, I32, I64 = range(1, 10)
TYPE_NAMES = {F16: "f16", BF16: "bf16", F32: "f32", F64: "f64", I1: "i1", I8: "i8", I16: "i16", I32: "i32", I64: "i64"}
TYPE_BYTES = {F16: 2, BF16: 2, F32: 4, F64: 8, I1: 1, I8: 1, I16: 2, I32: 4, I64: 8}
CPU, CUDA = 1, 2
INVALID_ARGUMENT = 1
_MAJOR = 1

_EXCEPTIONS = {
    INVALID_ARGUMENT: _errors.ArgumentError,
    2: _errors.ArtifactError,
    3: _errors.ArtifactError,
    4: _errors.DeviceError,
    5: _errors.UnsupportedError,
    6: _errors.DeviceError,
    7: _errors.CaptureError,
    8: _errors.DeviceError,
}


class Device(Structure):
    _fields_ = [("kind", c_int32), ("index", c_int32)]


class Tensor(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("data", c_void_p),
        ("type", c_int32),
        ("rank", c_int32),
        ("sizes", c_int64 * MAX_RANK),
        ("strides", c_int64 * MAX_RANK),
        ("device", Device),
    ]


class _Value(Union):
    _fields_ = [("f", c_double), ("i", c_int64)]


class Scalar(Structure):
    _fields_ = [("name", c_char_p), ("type", c_int32), ("value", _Value)]


class PrepareOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("kernel", c_char_p), ("stream", c_void_p)]


class DeviceInfo(Structure):
    _fields_ = [
        ("name", ctypes.c_char * 128),
        ("pci_bus_id", ctypes.c_char * 32),
        ("major", c_int32),
        ("minor", c_int32),
        ("units", c_int32),
        ("driver_version", c_int32),
    ]


_SIGNATURES = {
    "fa_artifact_open": [c_char_p, POINTER(c_void_p)],
    "fa_artifact_open_memory": [c_char_p, c_size_t, POINTER(c_void_p)],
    "fa_artifact_close": [c_void_p],
    "fa_artifact_manifest_json": [c_void_p, POINTER(c_char_p)],
    "fa_prepare": [
        c_void_p,
        Device,
        POINTER(Tensor),
        c_size_t,
        POINTER(Scalar),
        c_size_t,
        POINTER(PrepareOptions),
        POINTER(c_void_p),
    ],
    "fa_plan_destroy": [c_void_p],
    "fa_launch_with": [c_void_p, c_void_p, c_size_t, c_void_p],
    "fa_plan_kernel_name": [c_void_p, POINTER(c_char_p)],
    "fa_plan_note": [c_void_p, POINTER(c_char_p)],
    "fa_plan_grid": [c_void_p, POINTER(c_int64)],
    "fa_device_query": [Device, POINTER(DeviceInfo)],
    "fa_device_use": [Device],
    "fa_device_release": [Device],
}


def _candidates():
    """Where the library may be, in order: (path, whether it has to be there)."""
    if os.environ.get("FA_RUNTIME_LIBRARY"):
        yield os.environ["FA_RUNTIME_LIBRARY"], True
        return
    if os.environ.get("FA_HOME"):
        yield os.path.join(os.environ["FA_HOME"], "lib", "libfa_runtime.so"), True
        return
    yield os.path.join(sys.prefix, "lib", "libfa_runtime.so"), False
    yield "libfa_runtime.so", False  # wherever the loader looks


def _open_library():
    failures = []
    for path, required in _candidates():
        if os.sep in path and not required and not os.path.exists(path):
            failures.append(f"{path}: no such file")
            continue
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            failures.append(str(error))
    raise _errors.LibraryError(
        "expects libfa_runtime.so; set FA_HOME to the folder that has it in lib/, or FA_RUNTIME_LIBRARY to the "
        "file. Tried: " + "; ".join(failures)
    )


@functools.lru_cache(maxsize=None)
def library():
    """The runtime, opened by the first call that needs it. Raises LibraryError."""
    opened, path = _open_library()
    try:
        opened.fa_version.restype = c_uint32
        opened.fa_last_error.restype = c_char_p
        version = opened.fa_version()
        for name, arguments in _SIGNATURES.items():
            function = getattr(opened, name)
            function.argtypes = arguments
            function.restype = c_int32
    except AttributeError as error:
        raise _errors.LibraryError(f"{path}: expects the fa runtime, got a library without it: {error}") from None
    if version // 1000 != _MAJOR:
        raise _errors.LibraryError(
            f"{path}: expects interface version {_MAJOR}.x, got {version // 1000}.{version % 1000}"
        )
    opened.path = path
    return opened


def last_error():
    return library().fa_last_error().decode(errors="replace")


def check(status, prefix=""):
    """Raises what `status` stands for, with this thread's last error as its text."""
    if status:
        raise _EXCEPTIONS.get(status, _errors.FaError)(prefix + last_error())


def ask(function, handle, kind):
    """The value that `function(handle, &value)` gives."""
    value = kind()
    check(getattr(library(), function)(handle, ctypes.byref(value)))
    return value.value
