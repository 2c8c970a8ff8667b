# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this package raises. All are `FaError`; the text names the argument."""

import warnings


class FaError(Exception):
    """Base of every error of this package."""


class ArgumentError(FaError, ValueError):
    """An argument, or a tensor, is wrong: its type, sizes, strides, device or value."""


class ArtifactError(FaError):
    """Not an artefact, damaged, of another version, or not readable."""


class DeviceError(FaError):
    """No CUDA driver, no such device, out of memory, or the driver failed."""


class UnsupportedError(FaError):
    """Right as it stands, but not on this chip, driver or processor, or not by this compiler."""


class CaptureError(FaError):
    """Not allowed while a CUDA stream is being captured: call once with these shapes before."""


class CompileError(UnsupportedError):
    """The compiler refused the problem; the text is its own."""


class LibraryError(FaError, ImportError):
    """libfa_runtime.so or the compiler is missing, or of another major version."""


class FallbackNote(UserWarning):
    """Something right but slower is used instead; each reason is told once."""


_told = set()


def note_once(text):
    """Warns with `text`, the first time that it comes up in this process."""
    if text not in _told:
        _told.add(text)
        warnings.warn(text, FallbackNote, stacklevel=3)
