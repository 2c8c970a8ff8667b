# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import sys
import threading
import unittest

import fa_attention
from fa_attention import _compiler
from fa_attention._problem import Problem

BUILD = sys.argv.pop()
PROGRAM = os.path.join(BUILD, "bin", "fa-compile")
LIBRARY = os.path.join(BUILD, "lib", "libfa_compiler.so")
GOOD = Problem("f16", 64, 64, "f16", causal=True, softcap=2.0)
BAD = Problem("f16", 63, 64, "f16")
CPU = {"cpu": "x86-64-v3"}
needs_library = unittest.skipUnless(os.path.exists(LIBRARY), "libfa_compiler.so is not built")


class Compilers(unittest.TestCase):
    def works(self, made):
        self.assertEqual(len(made.identity), 64)
        data = made.compile(GOOD.text(), "cpu", CPU)
        self.assertEqual(fa_attention.load(data).chip, "x86-64-v3")
        for problem, chip, text in ((BAD, "cpu", "cpu: <.*error: .*63"), (GOOD, "sm_7", "sm_7: .*error: .*sm_7")):
            with self.assertRaisesRegex(fa_attention.CompileError, f"(?s){text}"):
                made.compile(problem.text(), chip, {})
        with self.assertRaises(fa_attention.CompileError):
            made.compile("nonsense", "cpu", CPU)
        return data

    def test_program(self):
        self.works(_compiler.Executable(PROGRAM))

    @needs_library
    def test_library(self):
        data = self.works(_compiler.Library(LIBRARY))
        self.assertEqual(data, _compiler.Executable(PROGRAM).compile(GOOD.text(), "cpu", CPU))

    @needs_library
    def test_library_in_threads(self):
        made, lengths = _compiler.Library(LIBRARY), []
        work = lambda: lengths.append(len(made.compile(GOOD.text(), "cpu", CPU)))
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(lengths), 3)
        self.assertEqual(len(set(lengths)), 1)

    @needs_library
    def test_library_comes_first(self):
        self.assertIsInstance(_compiler.compiler(), _compiler.Library)

    def test_texts_are_what_they_say(self):
        # Equal problems have one text and one name, others have others.
        variants = [
            GOOD,
            BAD,
            Problem("bf16", 64, 64, "bf16"),
            Problem("f16", 64, 64, "f32"),
            Problem("f16", 64, 32, "f16"),
            Problem("f16", 64, 64, "f16", scale_class="zero"),
            Problem("f16", 64, 64, "f16", scale_class="negative"),
        ]
        self.assertEqual(len({problem.file_name("sm_80", {}) for problem in variants}), len(variants))
        self.assertNotEqual(GOOD.file_name("sm_80", {}), GOOD.file_name("sm_90a", {}))
        self.assertEqual(GOOD.file_name("cpu", CPU)[-16:-3], "-" + GOOD.key("cpu", CPU)[:12])


if __name__ == "__main__":
    unittest.main()
