# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels on disk, keyed by all that shapes them. Any number of processes may use one folder.

An entry is a line with the hash of what follows, then the artefact. It is written beside its place and renamed into
it, so a reader finds all of it or nothing, and one that is damaged is built again. A lock makes sure that of several
processes that need the same kernel one compiles it.
"""

import contextlib
import fcntl
import hashlib
import os
import stat
import tempfile

from ._errors import note_once

_MAGIC = b"fa-cache 1 "


def folder():
    """FA_CACHE_DIR, else fa_attention in the user's cache folder."""
    if os.environ.get("FA_CACHE_DIR"):
        return os.environ["FA_CACHE_DIR"]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "fa_attention")


def _unusable(path):
    """Why the folder cannot be used, or None. An artefact is code, so nobody else may put one there."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        found = os.stat(path)
    except OSError as error:
        return str(error)
    if found.st_uid not in (os.getuid(), 0) or found.st_mode & stat.S_IWOTH:
        return f"{path} belongs to somebody else, or everybody may write to it"
    return None


def _read(path):
    """The artefact of an entry; None where it is missing or damaged."""
    try:
        with open(path, "rb") as file:
            head, _, data = file.read().partition(b"\n")
    except OSError:
        return None
    return data if head == _MAGIC + hashlib.sha256(data).hexdigest().encode() else None


def _write(path, data):
    """Best effort: without it the next process compiles again."""
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".new-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        note_once(f"the kernel could not be kept in the cache: {error}")
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


@contextlib.contextmanager
def _locked(path):
    """Holds the lock of an entry; it goes with the process. A file system without locks is used without."""
    try:
        lock = open(path, "ab")
    except OSError:
        yield
        return
    with lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch(key, build):
    """The artefact of `key`, which `build()` makes where the cache has none that is whole."""
    where = folder()
    problem = _unusable(where)
    if problem:
        note_once(f"kernels are not kept on disk: {problem}")
        return build()
    path = os.path.join(where, key)
    data = _read(path)
    if data is not None:
        return data
    with _locked(path + ".lock"):
        data = _read(path)  # somebody else may have made it meanwhile
        if data is None:
            data = build()
            _write(path, data)
    return data
