# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of the runtime's C ABI (runtime/fa_runtime.h) that the benchmark needs, for torch CUDA tensors."""

import ctypes as c
import os

MAX_RANK = 8
CUDA = 2
F64 = 4
TYPES = {"float16": 1, "bfloat16": 2, "float32": 3, "float64": 4, "int32": 8}


class Device(c.Structure):
    _fields_ = [("kind", c.c_int), ("index", c.c_int32)]


class Tensor(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("data", c.c_void_p),
        ("type", c.c_int),
        ("rank", c.c_int32),
        ("sizes", c.c_int64 * MAX_RANK),
        ("strides", c.c_int64 * MAX_RANK),
        ("device", Device),
    ]


class Value(c.Union):
    _fields_ = [("f", c.c_double), ("i", c.c_int64)]


class Scalar(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_int), ("value", Value)]


class Runtime:
    """libfa_runtime.so at `path`."""

    def __init__(self, path):
        self.lib = c.CDLL(os.path.abspath(path))  # never from the system's folders
        self.lib.fa_last_error.restype = c.c_char_p

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.fa_last_error().decode())

    def open(self, path):
        """The artefact in a file."""
        artifact = c.c_void_p()
        self.check(self.lib.fa_artifact_open(str(path).encode(), c.byref(artifact)))
        return artifact

    def prepare(self, artifact, tensors, scale):
        """A launch of the artefact on torch tensors (a dictionary by name): a function of the stream, and the name of
        the kernel that was taken."""
        device = next(iter(tensors.values())).device
        where = Device(CUDA, device.index or 0)
        described = (Tensor * len(tensors))(*[describe(n, t, where) for n, t in tensors.items()])
        scalars = (Scalar * 1)(Scalar(b"scale", F64, Value(f=scale)))
        plan = c.c_void_p()
        self.check(
            self.lib.fa_prepare(
                artifact, where, described, c.c_size_t(len(tensors)), scalars, c.c_size_t(1), None, c.byref(plan)
            )
        )
        name = c.c_char_p()
        self.check(self.lib.fa_plan_kernel_name(plan, c.byref(name)))

        def launch(stream, keep=(tensors, artifact)):
            self.check(self.lib.fa_launch(plan, c.c_void_p(stream)))

        return launch, name.value.decode()


def describe(name, tensor, device):
    made = Tensor(name.encode(), tensor.data_ptr(), TYPES[str(tensor.dtype).removeprefix("torch.")], tensor.dim())
    made.sizes[: tensor.dim()] = list(tensor.shape)
    made.strides[: tensor.dim()] = list(tensor.stride())
    made.device = device
    return made
