# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import unittest

import numpy as np
from definition import problem

import fa_attention
from fa_attention import ArgumentError

q, k, v = problem()
packed = [x[0].transpose(1, 0, 2).copy() for x in (q, k, v)]
offsets = {"q_offsets": np.array([0, 33], np.int32), "kv_offsets": np.array([0, 70], np.int32)}


class Foreign:
    """A tensor of a device that there is no kernel for."""

    def __dlpack_device__(self):
        return (7, 0)

    def __dlpack__(self):
        return q.__dlpack__()


class Broken(Foreign):
    def __dlpack__(self):
        raise BufferError("not today")


class Malformed:
    """What says that it is an array, and is none."""

    __array_interface__ = {"typestr": "<f2", "data": None, "shape": (1,)}


# (arguments in the place of q, k, v or beside them, the start of the text)
BAD = [
    ({"q": [1, 2]}, "q: expects a torch tensor, a numpy array or an object with __dlpack__, got list"),
    ({"q": None}, "q: expects a torch tensor"),
    ({"q": Foreign()}, "q: expects memory of the CPU or a CUDA device, got DLPack device type 1"),
    ({"q": Broken()}, "q: expects a tensor that __dlpack__ can hand over, got: not today"),
    ({"q": Malformed()}, "q: expects an __array_interface__ with data, shape and typestr"),
    ({"q": q.astype(np.float32)}, "q: expects elements of f16 or bf16, got f32"),
    ({"q": q.astype(np.complex64)}, "q: expects elements of f16, bf16, f32"),
    ({"q": q.astype(">f2")}, "q: expects elements of"),
    ({"k": k.astype(np.float32)}, "k: expects elements of f16, got f32"),
    ({"q": q[0]}, "q: expects 4 dimensions in the layout bhsd, got 3"),
    ({"q": q[..., ::2]}, "q: expects stride 1 in the last dimension (try .contiguous()), got 2"),
    ({"v": v.transpose(0, 1, 3, 2)}, "v: expects stride 1 in the last dimension"),
    (
        {"q": q[..., :60], "k": k[..., :60]},
        "q: expects a head dim (its last size) that is a multiple of 8 up to 256, got 60",
    ),
    ({"k": k[..., :32]}, "k: expects the head dim of q, 64, got 32"),
    ({"v": v[:, :, :50]}, "v: expects the sizes of k but for the head dim, got [2, 2, 50, 64] and [2, 2, 70, 64]"),
    ({"q": q[:1]}, "k: expects the batch size of q, 1, got 2"),
    ({"q": q[:, :3]}, "k: expects a number of heads that divides q's 3, got 2"),
    ({"causal": 1}, "causal: expects True or False, got 1"),
    ({"return_lse": None}, "return_lse: expects True or False, got None of type NoneType"),
    ({"window": 5}, "window: expects (left, right), each a number of keys or None, got 5"),
    ({"window": (1, -1)}, "window: expects bounds that are None or from 0 to"),
    ({"alignment": "left"}, "alignment: expects 'bottom_right' or 'top_left', got 'left'"),
    ({"layout": "bhds"}, "layout: expects 'bhsd' or 'bshd' or 'packed', got 'bhds'"),
    ({"scale": float("nan")}, "scale: expects a finite f32, got nan"),
    ({"scale": 1e39}, "scale: expects a finite f32, got 1e+39"),
    ({"scale": 10**400}, "scale: expects a finite f32, got 1000"),
    ({"scale": "1"}, "scale: expects a number, got '1'"),
    ({"softcap": 0.0}, "softcap: expects a positive finite f32, got 0.0"),
    ({"kv_lengths": np.zeros(2)}, "kv_lengths: expects elements of i32, got f64"),
    ({"kv_lengths": np.zeros(3, np.int32)}, "kv_lengths: expects sizes [2], one a batch entry, got [3]"),
    ({"alibi_slopes": np.zeros(2, np.float32)}, "alibi_slopes: expects sizes [4], one a query head, got [2]"),
    ({"sink": np.zeros(4)}, "sink: expects elements of f32, got f64"),
    ({"mask": np.ones((33, 70), np.int8)}, "mask: expects elements of i1, got i8"),
    (
        {"mask": np.ones((3, 1, 33, 70), bool)},
        "mask: expects sizes that broadcast to [2, 4, 33, 70], got [3, 1, 33, 70]",
    ),
    ({"bias": np.ones((1, 1, 1, 33, 70), np.float32)}, "bias: expects sizes that broadcast to"),
    ({"out": np.zeros((2, 4, 33, 32), np.float16)}, "out: expects sizes [2, 4, 33, 64], got [2, 4, 33, 32]"),
    ({"out": np.zeros((2, 4, 33, 64))}, "out: expects elements of f16 or f32, got f64"),
    ({"out": np.broadcast_to(q[:1], q.shape)}, "out: expects a writable array, got a read-only one"),
    ({"out": q}, "out: overlaps q"),
    ({"lse_out": np.zeros((2, 4, 33))}, "lse_out: expects elements of f32, got f64"),
    ({"stream": "s"}, "stream: expects a torch.cuda.Stream or the handle of one, got 's'"),
    ({"layout": "packed"}, "q: expects 3 dimensions in the layout packed, got 4"),
    (dict(zip("qkv", packed), layout="packed"), "q_offsets: expects offsets with the layout packed"),
    ({"q_offsets": offsets["q_offsets"]}, "q_offsets: expects offsets with the layout packed, and with no other"),
    (
        dict(zip("qkv", packed), **offsets, layout="packed", mask=np.ones((33, 70), bool)),
        "mask: expects None in the layout",
    ),
]


class Errors(unittest.TestCase):
    def test_bad_arguments(self):
        for changes, text in BAD:
            with self.subTest(text):
                with self.assertRaises(ArgumentError) as raised:
                    fa_attention.attention(**{"q": q, "k": k, "v": v, **changes})
                self.assertTrue(str(raised.exception).startswith(text), raised.exception)
                self.assertIsInstance(raised.exception, ValueError)

    def test_compiler_refuses(self):
        from fa_attention import _kernels
        from fa_attention._problem import Problem

        with self.assertRaisesRegex(fa_attention.CompileError, "(?s)cpu: .*error: .*63"):
            _kernels.compiled(Problem("f16", 63, 64, "f16"), "cpu", {"cpu": "x86-64-v3"})

    def fails(self, code, text, **environment):
        """Runs `code` in a process of its own, with another environment, and expects a FaError."""
        code = "import numpy, fa_attention\nq = numpy.zeros((1, 1, 8, 64), 'f2')\ntry:\n  " + code
        code += "\nexcept fa_attention.LibraryError as error: print(error)"
        names = {**os.environ, **environment}
        run = subprocess.run([sys.executable, "-c", code], env=names, capture_output=True, text=True)
        self.assertIn(text, run.stdout, run.stderr)

    def test_missing_libraries(self):
        call = "fa_attention.attention(q, q, q)"
        self.fails(call, "expects libfa_runtime.so; set FA_HOME", FA_HOME="/nowhere")
        self.fails(call, "expects libfa_runtime.so", FA_RUNTIME_LIBRARY="/nowhere.so")
        self.fails(call, "expects the fa runtime, got a library without it", FA_RUNTIME_LIBRARY="libm.so.6")
        self.fails(call, "/nowhere: expects the compiler fa-compile", FA_COMPILER="/nowhere")
        self.fails(call, "expects the compiler fa-compile", FA_COMPILER="/bin/false")
        self.fails(call, "/nowhere.so: expects the compiler libfa_compiler.so", FA_COMPILER="/nowhere.so")
        self.fails(call, "expects the compiler libfa_compiler.so", FA_COMPILER="libm.so.6")


if __name__ == "__main__":
    unittest.main()
