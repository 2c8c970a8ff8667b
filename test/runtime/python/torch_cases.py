# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kinds of calls that torch_test.py makes, as arguments of fa_attention.precompile.

python torch_cases.py FOLDER CHIP... compiles them into FOLDER/CHIP, for machines without the compiler.
"""

import os
import sys

PLAIN = {}
BF16 = {"dtype": "bf16", "head_dim": 64}
KINDS = [
    PLAIN,
    BF16,
    {"causal": True},
    {"causal": True, "alignment": "top_left"},
    {"causal": True, "return_lse": True},
    {"causal": True, "head_dim": 64},
    {"causal": True, "alignment": "top_left", "head_dim": 64},
    {"causal": True, "head_dim": 256},
    {"return_lse": True},
    {"out_dtype": "f32"},
    {"window": (100, 0), "return_lse": True},
    {"softcap": 20.0, "return_lse": True},
    {"causal": True, "tensors": ["alibi_slopes"]},
    {"tensors": ["kv_lengths"], "return_lse": True},
    {"tensors": ["sink"]},
    {"bias": "f16"},
    {"tensors": ["mask"]},
    {"layout": "packed", "causal": True},
]


def main():
    import fa_attention

    folder, *chips = sys.argv[1:]
    for chip in chips:
        for kind in KINDS:
            print(fa_attention.precompile(os.path.join(folder, chip), chip=chip, **kind), flush=True)


if __name__ == "__main__":
    main()
