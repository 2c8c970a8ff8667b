# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a problem and a device to a Kernel: one compiled ahead, one from the cache, or a new one."""

import functools
import os
import threading
from ctypes import byref

from . import _abi, _cache
from ._compiler import compiler
from ._errors import ArgumentError, CompileError, FaError, LibraryError, note_once
from ._kernel import load

_kernels = {}  # (problem, chips, options) -> Kernel, or the error that there is none
_lock = threading.Lock()

# Which chip to compile for, by compute capability; the first that works is taken. sm_80 runs on all that is newer.
_CHIPS = {(9, 0): ("sm_90a", "sm_80"), (8, 6): ("sm_86", "sm_80"), (8, 9): ("sm_89", "sm_80"), (12, 0): ("sm_89",)}


@functools.lru_cache(maxsize=None)
def chips_of(device):
    """The chips whose code runs on `device`, best first. Raises DeviceError, UnsupportedError."""
    if device[0] == _abi.CPU:
        return ("cpu",)
    info = _abi.DeviceInfo()
    _abi.check(_abi.library().fa_device_query(_abi.Device(*device), byref(info)))
    return _CHIPS.get((info.major, info.minor), ("sm_80",))


@functools.lru_cache(maxsize=None)
def _cpu_level():
    """The best level of x86-64 that this processor has."""
    needed = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    try:
        with open("/proc/cpuinfo") as info:
            flags = next((set(line.split()) for line in info if line.startswith("flags")), set())
    except OSError:
        flags = set()
    return "x86-64-v4" if needed <= flags else "x86-64-v3"


def options_for(chip, cpu=None):
    return {"cpu": cpu or _cpu_level()} if chip == "cpu" else {}


def _compiled_ahead(problem, chip, options):
    """From the folders of FA_ARTIFACT_PATH."""
    for folder in os.environ.get("FA_ARTIFACT_PATH", "").split(os.pathsep):
        path = os.path.join(folder, problem.file_name(chip, options))
        if folder and os.path.exists(path):
            return load(path)
    return None


def compiled(problem, chip, options):
    """The artefact's bytes, through the cache."""
    made = compiler()
    key = f"{problem.key(chip, options)[:32]}-{made.identity[:32]}"
    return _cache.fetch(key, lambda: made.compile(problem.text(), chip, options))


def _find(problem, device):
    chips = chips_of(device)
    for chip in chips:
        levels = (None, "x86-64-v3") if chip == "cpu" else (None,)
        for level in levels:
            kernel = _compiled_ahead(problem, chip, options_for(chip, level))
            if kernel:
                return kernel
    for chip in chips:
        try:
            return load(compiled(problem, chip, options_for(chip)))
        except CompileError as error:
            if chip == chips[-1]:
                raise
            note_once(f"no kernel for {error}; the one for {chips[-1]} is used")


def kernel_for(problem, device):
    """The Kernel for `problem` on `device`, (kind, index). Raises CompileError, LibraryError, DeviceError."""
    key = (problem, chips_of(device))
    found = _kernels.get(key)
    if found is None:
        with _lock:
            found = _kernels.get(key)
            if found is None:
                try:
                    found = _find(problem, device)
                except (CompileError, LibraryError) as error:
                    found = error  # it would fail each time
                _kernels[key] = found
    if isinstance(found, FaError):
        raise found
    return found


def write_artifact(problem, folder, chip, cpu=None):
    """Compiles `problem` for `chip` into `folder`; returns the file's name."""
    for name, value in (("folder", folder), ("chip", chip)):
        if not isinstance(value, (str, os.PathLike) if name == "folder" else str) or not value:
            raise ArgumentError(f"{name}: expects {'a path' if name == 'folder' else 'a name'}, got {value!r}")
    options = options_for(chip, cpu)
    if chip != "cpu" and cpu:
        raise ArgumentError(f"cpu: expects None for {chip}, got {cpu}")
    path = os.path.join(os.fspath(folder), problem.file_name(chip, options))
    data = compiled(problem, chip, options)
    try:
        os.makedirs(folder, exist_ok=True)
        temporary = f"{path}.{os.getpid()}.new"
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"folder: expects one to write to, got {os.fspath(folder)!r}: {error}") from None
    return path
