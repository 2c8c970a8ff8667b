// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --chip=sm_90a --stage=outlined | fa-opt --fa-version-access --fa-version-tma | FileCheck %s
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --chip=sm_80 --stage=outlined | fa-opt --fa-version-access --fa-version-tma | FileCheck %s --check-prefix=NONE

// Three kernels, the most demanding one first; each says when it may be taken.
// CHECK: name = "attention_tma", note = ""
// CHECK-SAME: when = ["and", ["and", ["aligned", "q", 16]
// CHECK-SAME: ["gt", ["size", "q", 2], 0]
// CHECK-SAME: ["gt", ["stride", "k", 1], 0]
// CHECK-SAME: name = "attention_wide", note = "no tensor map can describe q, k, v or o
// CHECK-SAME: name = "attention", note = "rows of q, k, v or o are not aligned
// CHECK: gpu.func @attention_tma
// CHECK-SAME: fa.access = 16 : i64
// CHECK-SAME: fa.tma
// CHECK: gpu.func @attention_wide
// CHECK-NOT: fa.tma
// CHECK: gpu.func @attention(

// NONE-NOT: attention_tma
