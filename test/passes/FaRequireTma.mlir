// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --chip=sm_90a --stage=outlined | fa-opt --fa-version-access --fa-require-tma | FileCheck %s
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --chip=sm_80 --stage=outlined | fa-opt --fa-version-access --fa-require-tma | FileCheck %s --check-prefix=NONE
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --chip=sm_90a --stage=outlined | sed 's/fa.target = "sm_90a"/fa.target = "sm_80"/' | fa-opt --fa-version-access --fa-require-tma 2>&1 | FileCheck %s --check-prefix=LACKS

// Three kernels, the most demanding one first; each says when it may be taken.
// CHECK: name = "fa_attention_tma", note = ""
// CHECK-SAME: when = ["and", ["and", ["aligned", "q", 16]
// CHECK-SAME: ["gt", ["size", "q", 2], 0]
// CHECK-SAME: ["gt", ["stride", "k", 1], 0]
// CHECK-SAME: name = "fa_attention_wide", note = "no tensor map can describe q, k, v or o
// CHECK-SAME: name = "fa_attention", note = "rows of q, k, v or o are not aligned
// CHECK: gpu.func @fa_attention_tma
// CHECK-SAME: fa.access = 16 : i64
// CHECK-SAME: fa.tma
// CHECK: gpu.func @fa_attention_wide
// CHECK-NOT: fa.tma
// CHECK: gpu.func @fa_attention(

// NONE-NOT: fa_attention_tma

// LACKS: remark: no kernel with TMA
// LACKS: name = "fa_attention_wide", note = ""
// LACKS-NOT: gpu.func @fa_attention_tma
