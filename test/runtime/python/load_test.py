# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import threading
import unittest

import numpy as np
from definition import attend, close, problem

import fa_attention
from fa_attention import ArgumentError, ArtifactError

FOLDER = sys.argv.pop()


class OnlyDlpack:
    """A tensor of another library: nothing but __dlpack__."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        assert not options, "the CPU has no stream"
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Load(unittest.TestCase):
    def setUp(self):
        self.kernel = fa_attention.load(os.path.join(FOLDER, "region.so"))
        self.q, self.k, self.v = problem(kv_heads=4, queries=40, keys=40)
        self.slopes = np.array([0.5, 0.25, 0.125, 0.0625], np.float32)
        self.expected = attend(self.q, self.k, self.v, softcap=30.0, alibi_slopes=self.slopes, causal=True)[0]

    def test_call(self):
        self.assertEqual(self.kernel.inputs, ("q", "k", "v", "slopes"))
        self.assertEqual(self.kernel.outputs, ("o",))
        self.assertEqual((self.kernel.chip, self.kernel.on_cuda), ("x86-64-v3", False))
        self.assertIn("region.so for x86-64-v3: q, k, v, slopes -> o", repr(self.kernel))
        close(self.kernel(self.q, self.k, self.v, self.slopes), self.expected)
        o = np.empty_like(self.q)
        self.assertIs(self.kernel(self.q, self.k, v=self.v, slopes=self.slopes, o=o, scale=0.125), o)
        close(o, self.expected)

    def test_from_memory(self):
        with open(self.kernel.path, "rb") as file:
            close(fa_attention.load(file.read())(self.q, self.k, self.v, self.slopes), self.expected)

    def test_dlpack(self):
        out = np.zeros_like(self.q)
        inputs = [OnlyDlpack(x) for x in (self.q, self.k, self.v, self.slopes)]
        self.kernel(*inputs, o=OnlyDlpack(out))
        close(out, self.expected)
        out = np.zeros_like(self.q)
        fa_attention.attention(*inputs[:3], causal=True, softcap=30.0, alibi_slopes=inputs[3], out=OnlyDlpack(out))
        close(out, self.expected)
        with self.assertRaisesRegex(ArgumentError, "out: has to be given for tensors of OnlyDlpack"):
            fa_attention.attention(*inputs[:3], causal=True, softcap=30.0, alibi_slopes=inputs[3])

    def test_several_threads(self):
        failures = []

        def work():
            try:
                for _ in range(5):
                    close(self.kernel(self.q, self.k, self.v, self.slopes), self.expected)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_many_shapes(self):
        for queries in range(1, 600):
            self.kernel(
                self.q[:, :, :1], self.k, self.v, self.slopes, o=np.empty((2, 4, queries, 64), np.float16)[:, :, :1]
            )
        self.assertLessEqual(len(self.kernel._plans), 512)

    def bad(self, kind, text, *inputs, **named):
        with self.assertRaises(kind) as raised:
            self.kernel(*inputs, **named)
        self.assertIn(text, str(raised.exception))

    def test_bad_calls(self):
        good = (self.q, self.k, self.v, self.slopes)
        self.bad(ArgumentError, "expects at most 4 inputs (q, k, v, slopes), got 5", *good, self.q)
        self.bad(ArgumentError, "slopes: missing; the artefact takes q, k, v, slopes", *good[:3])
        self.bad(ArgumentError, "q: given twice", *good, q=self.q)
        self.bad(ArgumentError, "bias: the artefact has no such tensor; it has q, k, v, slopes, o", *good, bias=self.q)
        self.bad(ArgumentError, "q: expects 4 dimensions, got 3", self.q[0], *good[1:])
        self.bad(ArgumentError, "k: expects type f16, got f32", self.q, self.k.astype("f4"), *good[2:])
        self.bad(ArgumentError, "q: size 1: expects 4, got 3", self.q[:, :3], *good[1:])
        self.bad(
            ArgumentError, "scale: the artefact was compiled for a value that is positive, got -1", *good, scale=-1
        )
        self.bad(ArgumentError, "scale: expects a number, got 'x'", *good, scale="x")
        self.bad(ArgumentError, "o: overlaps q", *good, o=self.q)

    def test_bad_artefacts(self):
        for path, kind, text in (
            (os.path.join(FOLDER, "none.so"), ArtifactError, "none.so: "),
            (FOLDER, ArtifactError, FOLDER),
            (__file__, ArtifactError, "load_test.py: "),
            (b"\x7fELF", ArtifactError, ""),
            (3.5, ArgumentError, "path: expects a file name or bytes, got float"),
            ("a\0b", ArgumentError, "path: expects a file name, got one with a NUL"),
        ):
            with self.assertRaisesRegex(kind, text.replace("\\", "")):
                fa_attention.load(path)

    def test_type_without_numpy(self):
        kernel = fa_attention.load(os.path.join(FOLDER, "bf16.so"))
        with self.assertRaisesRegex(ArgumentError, "q: expects type bf16, got f16"):
            q = np.ones((1, 1, 8, 128), np.float16)
            kernel(q, q, q, np.ones(1, np.int32), o=q.copy(), lse=np.zeros((1, 1, 8), np.float32))


class Precompile(unittest.TestCase):
    CALL = """
import numpy, fa_attention
q = numpy.ones((2, 2, 8, 64), 'f2')
o, lse = fa_attention.attention(q, q, q, causal=True, return_lse=True, kv_lengths=numpy.array([8, 3], 'i4'))
print(o[0, 0, 0, 0])
try: fa_attention.attention(q, q, q)
except fa_attention.LibraryError as error: print(error)
"""

    def test_without_a_compiler(self):
        path = fa_attention.precompile(
            FOLDER, chip="cpu", head_dim=64, causal=True, return_lse=True, tensors=["kv_lengths"]
        )
        self.assertIn("attention-f16-d64-causal-lengths-lse-x86-64-v", os.path.basename(path))
        names = {**os.environ, "FA_ARTIFACT_PATH": f"/nowhere:{FOLDER}", "FA_COMPILER": "/nowhere"}
        run = subprocess.run([sys.executable, "-c", self.CALL], env=names, capture_output=True, text=True)
        self.assertEqual(run.stdout.split("\n")[0], "1.0", run.stderr)
        self.assertIn("expects the compiler", run.stdout)

    def test_for_a_gpu(self):
        path = fa_attention.precompile(FOLDER, chip="sm_80", head_dim=64)
        kernel = fa_attention.load(path)
        self.assertEqual((kernel.chip, kernel.on_cuda, kernel.inputs), ("sm_80", True, ("q", "k", "v")))
        q = np.ones((1, 1, 8, 64), np.float16)
        with self.assertRaisesRegex(
            fa_attention.UnsupportedError, "the artefact is for sm_80, it cannot run on the CPU"
        ):
            kernel(q, q, q)

    def test_bad_arguments(self):
        for text, arguments in (
            ("dtype: expects 'f16' or 'bf16', got 'f32'", {"dtype": "f32"}),
            ("head_dim: expects a head dim", {"head_dim": 100}),
            ("tensors: expects 'alibi_slopes' or", {"tensors": ["q"]}),
            ("cpu: expects None for sm_80, got native", {"chip": "sm_80", "cpu": "native"}),
            ("bias: expects", {"bias": "i8"}),
            ("head_dim: expects an integer", {"head_dim": "64"}),
            ("chip: expects a name, got None", {"chip": None}),
            ("folder: expects a path, got 3", {"folder": 3}),
            ("folder: expects one to write to, got '/dev/null'", {"folder": "/dev/null"}),
        ):
            with self.assertRaises(ArgumentError) as raised:
                fa_attention.precompile(**{"folder": FOLDER, "chip": "cpu", **arguments})
            self.assertIn(text, str(raised.exception))
        with self.assertRaisesRegex(fa_attention.CompileError, "sm_7"):
            fa_attention.precompile(FOLDER, chip="sm_7")


if __name__ == "__main__":
    unittest.main()
