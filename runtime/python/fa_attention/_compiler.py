# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler, behind one interface: MLIR text in, the bytes of an artefact out.

libfa_compiler.so (lowering/CApi/fa_compiler.h) where it is there, else the program fa-compile. Each has `identity`, a
hash of what it is, which the cache keys on, and `compile`.
"""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

from . import _abi
from ._errors import CompileError, LibraryError


def _hash_file(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


class Executable:
    """fa-compile as a child process."""

    def __init__(self, path):
        self.path = path
        try:
            version = subprocess.run([path, "--version"], capture_output=True, check=True).stdout
            self.identity = hashlib.sha256(version + _hash_file(path).encode()).hexdigest()
        except (OSError, subprocess.CalledProcessError) as error:
            raise LibraryError(f"{path}: expects the compiler fa-compile: {error}") from None

    def compile(self, text, chip, options):
        with tempfile.TemporaryDirectory(prefix="fa-") as folder:
            output = os.path.join(folder, "artefact")
            flags = [f"--{name}={value}" for name, value in options.items()]
            run = subprocess.run(
                [self.path, "-", f"--chip={chip}", *flags, "-o", output], input=text.encode(), capture_output=True
            )
            if run.returncode:
                raise CompileError(f"{chip}: {run.stderr.decode(errors='replace').strip() or 'the compiler failed'}")
            with open(output, "rb") as file:
                return file.read()


class Library:
    """libfa_compiler.so in this process; several threads may compile at once."""

    _RESULTS = {
        "fa_compiler_version": ctypes.c_uint32,
        "fa_compiler_producer": ctypes.c_char_p,
        "fa_compile": ctypes.c_void_p,
        "fa_compilation_ok": ctypes.c_int32,
        "fa_compilation_messages": ctypes.c_char_p,
        "fa_compilation_bytes": ctypes.c_void_p,
        "fa_compilation_size": ctypes.c_size_t,
        "fa_compilation_destroy": None,
    }

    def __init__(self, path):
        self.path = path
        try:
            self._library = ctypes.CDLL(path)
            for name, result in self._RESULTS.items():
                function = getattr(self._library, name)
                function.restype = result
                function.argtypes = [ctypes.c_void_p] if name.startswith("fa_compilation_") else []
        except (OSError, AttributeError) as error:
            raise LibraryError(f"{path}: expects the compiler libfa_compiler.so: {error}") from None
        text = ctypes.c_char_p
        self._library.fa_compile.argtypes = [text, ctypes.c_size_t, text, text, text]
        if self._library.fa_compiler_version() // 1000 != 1:
            raise LibraryError(f"{path}: expects interface version 1.x, got {self._library.fa_compiler_version()}")
        producer = self._library.fa_compiler_producer()
        self.identity = hashlib.sha256(producer + _hash_file(path).encode()).hexdigest()

    def compile(self, text, chip, options):
        source = text.encode()
        flags = " ".join(f"{name}={value}" for name, value in options.items())
        made = self._library.fa_compile(source, len(source), b"<attention>", chip.encode(), flags.encode())
        try:
            if not self._library.fa_compilation_ok(made):
                raise CompileError(
                    f"{chip}: {self._library.fa_compilation_messages(made).decode(errors='replace').strip()}"
                )
            size = self._library.fa_compilation_size(made)
            return ctypes.string_at(self._library.fa_compilation_bytes(made), size)
        finally:
            self._library.fa_compilation_destroy(made)


def _open(path):
    return (Library if ".so" in os.path.basename(path) else Executable)(path)


def _folders():
    """Install prefixes that may hold the compiler: Python's own, and the one of the runtime in use."""
    yield sys.prefix
    runtime = getattr(_abi.library(), "path", "")
    if os.sep in runtime:
        yield os.path.dirname(os.path.dirname(os.path.abspath(runtime)))


@functools.lru_cache(maxsize=None)
def compiler():
    """The compiler in use: FA_COMPILER (program or library), else FA_HOME's, an installed one, or one on the PATH.

    Raises LibraryError.
    """
    if os.environ.get("FA_COMPILER"):
        return _open(os.environ["FA_COMPILER"])
    home = os.environ.get("FA_HOME")
    for folder in [home] if home else _folders():
        for path in (os.path.join(folder, "lib", "libfa_compiler.so"), os.path.join(folder, "bin", "fa-compile")):
            if os.path.exists(path):
                return _open(path)
    found = shutil.which("fa-compile")
    if found:
        return _open(found)
    raise LibraryError(
        "expects the compiler, to make a kernel for this call: set FA_COMPILER to fa-compile or libfa_compiler.so, or "
        "FA_HOME to the folder that has it in bin/ or lib/; or give FA_ARTIFACT_PATH folders of kernels that "
        "fa_attention.precompile made"
    )
