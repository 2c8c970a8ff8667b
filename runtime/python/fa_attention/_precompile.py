# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels compiled ahead of time, for machines without the compiler."""

from . import _checks
from ._kernels import write_artifact
from ._problem import Problem, mask_fields

_OPTIONAL = ("alibi_slopes", "mask", "sink", "q_lengths", "kv_lengths")


def precompile(
    folder,
    *,
    chip,
    cpu=None,
    dtype="f16",
    head_dim=128,
    v_head_dim=None,
    causal=False,
    window=None,
    alignment="bottom_right",
    scale=None,
    softcap=None,
    bias=None,
    tensors=(),
    layout="bhsd",
    return_lse=False,
    out_dtype=None,
):
    """Compiles the kernel of one kind of `attention` call into `folder`; returns the file's name.

    `attention` finds it where FA_ARTIFACT_PATH names the folder, and `load` opens it.

    chip: "sm_80", "sm_86", "sm_89", "sm_90a" or "cpu"; cpu: with "cpu", "x86-64-v3" (default: this machine's level).
    dtype, out_dtype: "f16" or "bf16"; out_dtype "f32" for a call with such an out. head_dim, v_head_dim: D and Dv.
    bias: its type ("f16", "bf16", "f32") or None. tensors: the names of the other optional tensors that the call has:
    alibi_slopes, mask, sink, q_lengths, kv_lengths. The other arguments as in `attention`; of scale only the sign
    matters, and bhsd and bshd are one kernel. Raises ArgumentError, CompileError, LibraryError.
    """
    _checks.choice("dtype", dtype, ("f16", "bf16"))
    _checks.choice("out_dtype", out_dtype or dtype, (dtype, "f32"))
    _checks.choice("alignment", alignment, ("bottom_right", "top_left"))
    _checks.choice("layout", layout, ("bhsd", "bshd", "packed"))
    for name in tensors:
        _checks.choice("tensors", name, _OPTIONAL)
    if bias is not None:
        _checks.choice("bias", bias, ("f16", "bf16", "f32"))
    _checks.head_dim("head_dim", head_dim)
    _checks.head_dim("v_head_dim", v_head_dim or head_dim)
    _checks.flag("causal", causal)
    number = 1.0 if scale is None else _checks.finite("scale", scale)
    problem = Problem(
        dtype=dtype,
        qk_dim=head_dim,
        v_dim=v_head_dim or head_dim,
        out_dtype=out_dtype or dtype,
        **mask_fields(causal, _checks.window(window), alignment == "bottom_right"),
        scale_class="positive" if number > 0 else "negative" if number < 0 else "zero",
        softcap=None if softcap is None else _checks.finite("softcap", softcap, positive=True),
        bias=bias,
        alibi="alibi_slopes" in tensors,
        mask="mask" in tensors,
        sink="sink" in tensors,
        q_lengths="q_lengths" in tensors,
        kv_lengths="kv_lengths" in tensors,
        packed=layout == "packed",
        lse=return_lse,
    )
    return write_artifact(problem, folder, chip, cpu)
