# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os
import shutil
import sys
import threading
import unittest
import warnings
from unittest import mock

import numpy as np
from definition import attend, close, close_lse, problem

import fa_attention
from fa_attention import _abi, _kernels
from fa_attention._problem import Problem
from fa_attention._tensors import _DlTensor

PATH = sys.argv.pop()
standin = ctypes.CDLL(os.environ["FA_CUDA_DRIVER"])
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Launch(ctypes.Structure):
    _fields_ = [
        ("kernel", ctypes.c_char * 64),
        ("grid", ctypes.c_uint * 3),
        ("stream", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("params", ctypes.c_uint64 * 16),
    ]


standin.standin_launch.restype = Launch
standin.standin_launch.argtypes = [ctypes.c_size_t]
standin.standin_launches.restype = ctypes.c_size_t


class CudaArray:
    """A numpy array's copy in the stand-in's device memory, known by its __dlpack__ alone."""

    def __init__(self, array, device=0):
        self.device = device
        self.memory = ctypes.c_void_p()
        runtime = _abi.library()
        cuda = _abi.Device(_abi.CUDA, 0)
        _abi.check(runtime.fa_device_use(cuda))
        _abi.check(runtime.fa_memory_alloc(cuda, ctypes.c_size_t(array.nbytes), ctypes.byref(self.memory)))
        # What it calls device memory is the host's.
        self.array = np.frombuffer((ctypes.c_char * array.nbytes).from_address(self.memory.value), array.dtype)
        self.array = self.array.reshape(array.shape)
        self.array[...] = array
        self.sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.tensor = _DlTensor(self.memory.value, 2, device, array.ndim, 2, 8 * array.itemsize, 1, self.sizes, None, 0)
        self.streams = []

    def __dlpack_device__(self):
        return (2, self.device)

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return python.PyCapsule_New(ctypes.addressof(self.tensor), b"dltensor", None)


class Cuda(unittest.TestCase):
    def setUp(self):
        self.host = problem()
        self.q, self.k, self.v = (CudaArray(x) for x in self.host)
        self.o = CudaArray(np.zeros_like(self.host[0]))
        self.lse = CudaArray(np.zeros((2, 4, 33), np.float32))
        self.kernel = fa_attention.load(PATH)

    def right(self):
        o, lse = attend(*self.host)
        close(self.o.array, o)
        close_lse(self.lse.array, lse)

    def test_kernel(self):
        self.assertTrue(self.kernel.on_cuda)
        result = self.kernel(self.q, self.k, self.v, o=self.o, lse=self.lse)
        self.assertEqual(result, (self.o, self.lse))
        self.right()
        self.assertEqual(self.q.streams, [1], "the default stream")

    def test_stream(self):
        self.kernel(self.q, self.k, self.v, o=self.o, lse=self.lse, stream=4096)
        last = standin.standin_launch(standin.standin_launches() - 1)
        self.assertEqual(last.stream, 4096)
        self.assertEqual(self.q.streams, [4096])

    def test_attention(self):
        name = Problem("f16", 64, 64, "f16", lse=True).file_name("sm_80", {})
        shutil.copy(PATH, os.path.join(os.environ["FA_ARTIFACT_PATH"], name))
        fa_attention.attention(self.q, self.k, self.v, out=self.o, lse_out=self.lse, return_lse=True)
        self.right()
        with self.assertRaisesRegex(fa_attention.ArgumentError, "out: has to be given for tensors of CudaArray"):
            fa_attention.attention(self.q, self.k, self.v, return_lse=True)

    def test_in_a_thread_of_its_own(self):
        failures = []

        def work():
            try:
                self.kernel(self.q, self.k, self.v, o=self.o, lse=self.lse)
            except Exception as error:
                failures.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertEqual(failures, [])
        self.right()

    def bad(self, kind, text, q, k, v, **outputs):
        with self.assertRaises(kind) as raised:
            self.kernel(q, k, v, **{"o": self.o, "lse": self.lse, **outputs})
        self.assertIn(text, str(raised.exception))

    def test_bad_devices(self):
        q, k, v = self.host
        self.bad(fa_attention.ArgumentError, "k: expects memory of cuda:0, got the CPU", self.q, k, self.v)
        self.bad(fa_attention.UnsupportedError, "the artefact is for sm_80, it cannot run on the CPU", q, k, v)
        elsewhere = CudaArray(q, device=5)
        self.bad(fa_attention.DeviceError, "there is no cuda:5; the driver has 1 device", elsewhere, self.k, self.v)
        lying = CudaArray(q)
        lying.tensor.data = q.ctypes.data
        self.bad(fa_attention.ArgumentError, "q: expects memory of cuda:0, got host memory", lying, self.k, self.v)
        with self.assertRaisesRegex(fa_attention.ArgumentError, "k: expects memory of cuda:0, as q, got the CPU"):
            fa_attention.attention(self.q, k, self.v, out=self.o)

    def test_capture(self):
        self.kernel(self.q, self.k, self.v, o=self.o, lse=self.lse, stream=4096)
        standin.standin_set(b"capturing", ctypes.c_int64(1))
        try:
            self.kernel(self.q, self.k, self.v, o=self.o, lse=self.lse, stream=4096)
            with self.assertRaisesRegex(fa_attention.CaptureError, "prepare before the capture"):
                self.kernel(self.q, self.k, self.v, o=self.o, lse=self.lse, stream=4096, scale=0.5)
        finally:
            standin.standin_set(b"capturing", ctypes.c_int64(0))

    def test_chips(self):
        for major, minor, chips in ((8, 0, ("sm_80",)), (9, 0, ("sm_90a", "sm_80")), (10, 0, ("sm_80",))):
            standin.standin_set(b"major", ctypes.c_int64(major))
            _kernels.chips_of.cache_clear()
            self.assertEqual(_kernels.chips_of((_abi.CUDA, 0)), chips)
        standin.standin_set(b"major", ctypes.c_int64(8))
        _kernels.chips_of.cache_clear()

    def test_chip_that_the_compiler_refuses(self):
        def compile(text, chip, options):
            if chip == "sm_90a":
                raise fa_attention.CompileError("sm_90a: no")
            with open(PATH, "rb") as file:
                return file.read()

        made = mock.Mock(identity="f" * 64, compile=compile)
        with mock.patch.object(_kernels, "compiler", lambda: made), mock.patch.object(
            _kernels, "chips_of", lambda device: ("sm_90a", "sm_80")
        ), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            kernel = _kernels.kernel_for(Problem("bf16", 8, 8, "bf16"), (_abi.CUDA, 0))
        self.assertEqual(kernel.chip, "sm_80")
        self.assertIn("no kernel for sm_90a: no; the one for sm_80 is used", str(caught[0].message))


if __name__ == "__main__":
    unittest.main()
