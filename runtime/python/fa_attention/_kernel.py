# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artefacts as callable objects, and prepared launches of them."""

import collections
import ctypes
import json
import os
import threading
from ctypes import byref, c_char_p, c_int64, c_void_p

from . import _abi, _arrays
from ._errors import ArgumentError
from ._tensors import device_name, view

_MOST_PLANS = 512  # of one kernel; the ones not used for longest go first


class Plan:
    """A launch prepared for tensors of certain sizes and strides; `launch` takes their addresses.

    Attributes: kernel (name of the kernel that was chosen), note ("" or why it is a slower one), grid (its blocks).
    """

    def __init__(self, handle, count):
        self._handle = handle
        self._destroy = _abi.library().fa_plan_destroy
        self._launch = _abi.library().fa_launch_with
        self.pointers = c_void_p * count
        self.count = count

    def __del__(self):
        self._destroy(self._handle)

    @property
    def kernel(self):
        return _abi.ask("fa_plan_kernel_name", self._handle, c_char_p).decode()

    @property
    def note(self):
        return _abi.ask("fa_plan_note", self._handle, c_char_p).decode()

    @property
    def grid(self):
        return _abi.ask("fa_plan_grid", self._handle, c_int64)

    def launch(self, pointers, stream):
        """Launches on these addresses (`self.pointers(...)`, in the order of the tensors that were prepared)."""
        status = self._launch(self._handle, pointers, self.count, stream)
        if status:
            _abi.check(status)


class Kernel:
    """An artefact that `load` opened or `compile` made: call it with its tensors.

        kernel = fa_attention.load("attention.ptx")
        o = kernel(q, k, v)

    Attributes: path, manifest (its launch manifest as a dict, runtime/MANIFEST.md), inputs and outputs (names, in
    order), chip ("sm_80"; on the CPU "x86-64-v3"), on_cuda.

    Graphs that captured a launch hold no reference to it: keep it for as long as they are launched.
    """

    def __init__(self, handle, path):
        self._handle = handle
        self._close = _abi.library().fa_artifact_close
        self.path = path
        self.manifest = json.loads(_abi.ask("fa_artifact_manifest_json", handle, c_char_p))
        tensors = self.manifest["tensors"]
        self._specs = {tensor["name"]: tensor for tensor in tensors}
        self._names = {name: name.encode() for name in self._specs}
        self.inputs = tuple(tensor["name"] for tensor in tensors if tensor["role"] == "in")
        self.outputs = tuple(tensor["name"] for tensor in tensors if tensor["role"] == "out")
        target = self.manifest["target"]
        self.on_cuda = target["kind"] == "ptx"
        self.chip = target["chip"] if self.on_cuda else target["cpu"]
        self._plans = collections.OrderedDict()
        self._lock = threading.Lock()

    def __del__(self):
        if hasattr(self, "_close"):
            self._close(self._handle)

    def __repr__(self):
        return (
            f"<fa_attention.Kernel {self.path} for {self.chip}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"
        )

    def prepare(self, views, scalars=None, stream=None):
        """The Plan for tensors ({name: View}) and launch parameters ({name: number}).

        Pointers are launched in the order of `views`. On CUDA the tensors' device must be the current one. Raises
        ArgumentError, UnsupportedError (no kernel of the artefact takes these), CaptureError, DeviceError.
        """
        scalars = dict(scalars or {})
        device = next((v.device for v in views.values()), (_abi.CPU, 0))
        key = (device, tuple((name, v.key()) for name, v in views.items()), tuple(sorted(scalars.items())))
        with self._lock:
            plan = self._plans.get(key)
            if plan:
                self._plans.move_to_end(key)
                return plan
        plan = self._prepare(device, views, scalars, stream)
        with self._lock:
            self._plans[key] = plan
            if len(self._plans) > _MOST_PLANS:
                self._plans.popitem(last=False)
        return plan

    def _prepare(self, device, views, scalars, stream):
        tensors = [v.descriptor(self._name_bytes(name)) for name, v in views.items()]
        values = [self._scalar(name, value) for name, value in scalars.items()]
        options = _abi.PrepareOptions(ctypes.sizeof(_abi.PrepareOptions), None, stream)
        handle = c_void_p()
        _abi.check(
            _abi.library().fa_prepare(
                self._handle,
                _abi.Device(*device),
                (_abi.Tensor * len(tensors))(*tensors),
                len(tensors),
                (_abi.Scalar * len(values))(*values),
                len(values),
                byref(options),
                byref(handle),
            )
        )
        return Plan(handle, len(tensors))

    def _name_bytes(self, name):
        if name not in self._names:
            raise ArgumentError(f"{name}: the artefact has no such tensor; it has {', '.join(self._specs)}")
        return self._names[name]

    def _scalar(self, name, value):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ArgumentError(f"{name}: expects a number, got {value!r}")
        scalar = _abi.Scalar(name=name.encode())
        if isinstance(value, int) and -(2**63) <= value < 2**63:
            scalar.type, scalar.value.i = _abi.I64, value
        else:
            scalar.type, scalar.value.f = _abi.F64, value
        return scalar

    def __call__(self, *inputs, stream=None, **named):
        """Launches the kernel; returns its output, or the outputs as a tuple where there are several.

        inputs: tensors in the order of `self.inputs`. named: further inputs, launch parameters (scale=0.1) and outputs
        to write to (o=..., lse=...) by their names in the artefact; outputs that are missing are allocated where the
        inputs are. Sizes as the manifest says, any strides but where it wants a unit one. stream: a CUDA stream's
        handle; None: torch's current stream for torch tensors, else the default stream. On the CPU the call returns
        when all is done. Raises as `prepare` does.
        """
        if len(inputs) > len(self.inputs):
            raise ArgumentError(
                f"expects at most {len(self.inputs)} inputs ({', '.join(self.inputs)}), got {len(inputs)}"
            )
        given = dict(zip(self.inputs, inputs))
        for name in named:
            if name in given:
                raise ArgumentError(f"{name}: given twice")
        known = {scalar["name"] for scalar in self.manifest["scalars"]}
        scalars = {name: value for name, value in named.items() if name in known}
        given.update((name, value) for name, value in named.items() if name not in known)
        for name in given:
            self._name_bytes(name)
        missing = [name for name in self.inputs if name not in given]
        if missing:
            raise ArgumentError(f"{missing[0]}: missing; the artefact takes {', '.join(self.inputs)}")
        first = given[self.inputs[0]]
        stream = _arrays.stream_of(first, stream)
        views = {name: view(name, given[name], stream) for name in self.inputs}
        for name in self.outputs:
            if name not in given:
                given[name] = _arrays.empty(first, self._output_sizes(name, views), self._specs[name]["type"])
            views[name] = view(name, given[name], stream, writable=True)
        self.launch(views, scalars, first, stream)
        results = tuple(given[name] for name in self.outputs)
        return results[0] if len(results) == 1 else results

    def launch(self, views, scalars, like, stream):
        """Prepares where that has not been done, and launches, with the device of `like` current."""
        with _arrays.device_of(like, views[self.inputs[0]].device):
            plan = self.prepare(views, scalars, stream)
            plan.launch(plan.pointers(*(v.data for v in views.values())), stream)
        return plan

    def _output_sizes(self, name, views):
        known = {}
        for other, v in views.items():
            dims = self._specs[other]["dims"]
            if len(dims) != len(v.sizes):
                raise ArgumentError(
                    f"{other}: expects {len(dims)} dimensions, got {len(v.sizes)} on {device_name(v.device)}"
                )
            known.update((dim, size) for dim, size in zip(dims, v.sizes) if isinstance(dim, str))
        try:
            return [known[dim] if isinstance(dim, str) else dim for dim in self._specs[name]["dims"]]
        except KeyError as error:
            raise ArgumentError(f"{name}: has to be given, since no input has its size {error}") from None


def load(path):
    """Opens an artefact of fa-compile: PTX for a GPU, a shared object for the CPU.

    path: a file name, or the artefact itself as bytes. It is code: open only what you trust. Nothing is loaded into a
    device until the first call. Returns a Kernel. Raises ArtifactError, LibraryError.
    """
    library = _abi.library()
    handle = c_void_p()
    if isinstance(path, (bytes, bytearray)):
        _abi.check(library.fa_artifact_open_memory(bytes(path), len(path), byref(handle)))
        return Kernel(handle, "<bytes>")
    try:
        name = os.fsencode(path)
    except TypeError:
        raise ArgumentError(f"path: expects a file name or bytes, got {type(path).__name__}") from None
    if b"\0" in name:
        raise ArgumentError("path: expects a file name, got one with a NUL character")
    _abi.check(library.fa_artifact_open(name, byref(handle)), f"{os.fsdecode(name)}: ")
    return Kernel(handle, os.fsdecode(name))
