# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import os
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import fa_attention
from fa_attention import _cache

FOLDER = os.environ["FA_CACHE_DIR"]
# Calls attention, then says how often the compiler ran.
CALL = """
import sys, numpy, fa_attention
from fa_attention import _compiler
runs = []
made = _compiler.compiler()
compile = made.compile
made.compile = lambda *arguments: runs.append(1) or compile(*arguments)
q = numpy.ones((1, 1, 8, 16), 'f2')
assert (fa_attention.attention(q, q, q) == 1).all()
print(len(runs))
"""


def start(**environment):
    names = {**os.environ, **environment}
    return subprocess.Popen(
        [sys.executable, "-W", "always", "-c", CALL],
        env=names,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def runs(process):
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return int(out), errors


def entries(folder=FOLDER):
    return [path for path in glob.glob(os.path.join(folder, "*")) if not path.endswith(".lock")]


class Cache(unittest.TestCase):
    def test_of_several_processes_one_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            processes = [start(FA_CACHE_DIR=folder) for _ in range(4)]
            self.assertEqual(sum(runs(p)[0] for p in processes), 1)
            self.assertEqual(len(entries(folder)), 1)
            self.assertEqual(glob.glob(os.path.join(folder, ".new-*")), [])

    def test_damaged_entries_are_built_again(self):
        with tempfile.TemporaryDirectory() as folder:
            self.damage(folder)

    def damage(self, folder):
        runs(start(FA_CACHE_DIR=folder))
        (path,) = entries(folder)
        with open(path, "rb") as file:
            whole = file.read()
        damaged = bytearray(whole)
        damaged[len(whole) // 2] ^= 1
        for bad in (damaged, whole[:-1], b"", b"\0" * 100):
            with open(path, "wb") as file:
                file.write(bad)
            self.assertEqual(runs(start(FA_CACHE_DIR=folder))[0], 1)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), whole)
        self.assertEqual(runs(start(FA_CACHE_DIR=folder))[0], 0)

    def test_another_compiler_has_entries_of_its_own(self):
        from fa_attention._compiler import compiler
        from fa_attention._problem import Problem
        from fa_attention import _kernels

        problem = Problem("f16", 16, 16, "f16", causal=True)
        before = len(entries())
        _kernels.compiled(problem, "cpu", {"cpu": "x86-64-v3"})
        compiler().identity = "0" * 64
        _kernels.compiled(problem, "cpu", {"cpu": "x86-64-v3"})
        self.assertEqual(len(entries()), before + 2)

    def test_folders_that_cannot_be_used(self):
        # Works all the same, and says so.
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, stat.S_IRWXU | stat.S_IWOTH)
            count, errors = runs(start(FA_CACHE_DIR=folder))
            self.assertEqual(count, 1)
            self.assertIn("FallbackNote: kernels are not kept on disk", errors)
            self.assertEqual(entries(folder), [])
            path = os.path.join(folder, "file")
            open(path, "w").close()
            self.assertIn("kernels are not kept on disk", runs(start(FA_CACHE_DIR=path))[1])

    def test_where_it_is(self):
        names = {"FA_CACHE_DIR": "", "XDG_CACHE_HOME": "/x"}
        with unittest.mock.patch.dict(os.environ, names):
            self.assertEqual(_cache.folder(), "/x/fa_attention")

    def test_failures_are_not_kept(self):
        def fail():
            raise fa_attention.CompileError("no")

        with self.assertRaises(fa_attention.CompileError):
            _cache.fetch("failure", fail)
        self.assertEqual(_cache.fetch("failure", lambda: b"yes"), b"yes")
        self.assertEqual(_cache.fetch("failure", fail), b"yes")
        os.unlink(os.path.join(FOLDER, "failure"))


if __name__ == "__main__":
    unittest.main()
