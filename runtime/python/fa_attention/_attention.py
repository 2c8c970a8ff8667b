# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`attention` for tensors of any library. Torch tensors go on to _torch.py."""

from . import _arrays
from ._abi import TYPE_NAMES
from ._call import Options, analyse, renamed
from ._errors import ArgumentError
from ._kernels import kernel_for


def attention(
    q,
    k,
    v,
    *,
    causal=False,
    window=None,
    alignment="bottom_right",
    scale=None,
    softcap=None,
    bias=None,
    alibi_slopes=None,
    mask=None,
    sink=None,
    q_lengths=None,
    kv_lengths=None,
    q_offsets=None,
    kv_offsets=None,
    layout="bhsd",
    return_lse=False,
    out=None,
    lse_out=None,
    stream=None,
):
    """softmax(scale * q k^T, changed and masked as asked for) v, in one kernel. Forward only.

    Tensors are torch's (CUDA or CPU), numpy arrays, or any objects with __dlpack__, all on one device, with any strides
    but a last one of 1 in q, k, v and out. They stay the caller's and are not copied. B batch entries, Hq query heads,
    Hkv key/value heads (Hkv divides Hq), Sq queries, Sk keys, head dims D and Dv (multiples of 8 up to 256):

    q, k, v: [B, Hq, Sq, D], [B, Hkv, Sk, D], [B, Hkv, Sk, Dv], all f16 or all bf16. With layout="bshd" the middle two
        dimensions are swapped, in out too. With layout="packed" sequences of several lengths lie behind each other:
        [Tq, Hq, D], [Tk, Hkv, D], [Tk, Hkv, Dv], cut by q_offsets and kv_offsets.
    causal: bool; keeps keys j <= i + off for query i, with off = Sk - Sq for alignment="bottom_right" (the last query
        sees the last key), 0 for "top_left" (as torch's is_causal).
    window: (left, right), each a count of keys or None: keeps i + off - left <= j <= i + off + right.
    scale: any finite number; None: 1/sqrt(D).
    softcap: c > 0; scores become c * tanh(s / c).
    bias: f16, bf16 or f32, broadcastable to [B, Hq, Sq, Sk] in any layout but packed; added to the scores.
    alibi_slopes: f32 [Hq]; adds slope[h] * (j - i). Order: softcap, bias, ALiBi.
    mask: bool, broadcastable to [B, Hq, Sq, Sk]; False drops a key. Not with layout="packed".
    sink: f32 [Hq]; a logit that joins each row's sum and brings no value.
    q_lengths, kv_lengths: i32 [B]; how many queries and keys exist. Rows past a query length give 0.
    q_offsets, kv_offsets: i32 [B + 1], ascending from 0; with layout="packed".
    return_lse: also return the log of each row's sum of exponentials, f32 [B, Hq, Sq] (packed: [Hq, Tq]).
    out: where to write, of q's type or f32, sizes as q but Dv last; None: a new tensor of q's library. lse_out alike.
    stream: a CUDA stream (torch.cuda.Stream or handle); None: torch's current stream, else the default one.

    Returns out, or (out, lse). A row that keeps no key is 0 (lse -inf, or the sink). On CUDA the launch is asynchronous
    and may be captured in a graph, once a call with the same sizes and strides has been made outside of a capture; on
    the CPU the result is there on return.

    The kernel comes from FA_ARTIFACT_PATH, from the cache on disk, or from the compiler, which takes a second once.

    Raises ArgumentError (a ValueError that names the argument), CompileError and UnsupportedError (not on this device),
    CaptureError, DeviceError, LibraryError (the runtime or the compiler is missing); all are FaError. Torch tensors
    that require a gradient are refused unless gradients are off.
    """
    # This is every call's way, so it is kept short.
    options = (causal, window, alignment, scale, softcap, layout, return_lse)
    if q_lengths is kv_lengths is q_offsets is kv_offsets is sink is bias is alibi_slopes is mask is None:
        extras = None
    else:
        extras = (q_lengths, kv_lengths, q_offsets, kv_offsets, sink, bias, alibi_slopes, mask)
    if hasattr(q, "new_empty"):  # torch's; the module is imported already
        torch = torch_backend or _load_torch_backend()
        return torch.attention(q, k, v, extras, options, out, lse_out, stream)
    return run(q, k, v, extras, options, out, lse_out, stream)[0]


torch_backend = None  # _torch.py, once it is imported


def _load_torch_backend():
    from . import _torch

    return _torch


# The optional inputs, in the order of the artefact's arguments.
EXTRAS = ("q_lengths", "kv_lengths", "q_offsets", "kv_offsets", "sink", "bias", "alibi_slopes", "mask")


_NONE = (None,) * len(EXTRAS)


def run(q, k, v, extras, options, out, lse_out, stream):
    """The call in full: checks, kernel, plan, launch. Returns (what attention returns, the Plan)."""
    options = Options(*options)
    stream = _arrays.stream_of(q, stream)
    with_lse = options.return_lse or lse_out is not None
    given = {"q": q, "k": k, "v": v, **dict(zip(EXTRAS, extras or _NONE))}
    call = analyse(given, options, out, with_lse, stream)
    kernel = kernel_for(call.problem, call.device)
    if out is None:
        out = _arrays.empty(q, call.out_sizes, TYPE_NAMES[call.out_type])
    views = {**call.inputs, "o": call.output("out", out, stream)}
    if with_lse:
        if lse_out is None:
            lse_out = _arrays.empty(q, call.lse_sizes, "f32")
        views["lse"] = call.output("lse_out", lse_out, stream)
    try:
        plan = kernel.launch(views, call.scalars, q, stream)
    except ArgumentError as error:
        raise renamed(error) from None
    return ((out, lse_out) if options.return_lse else out), plan
