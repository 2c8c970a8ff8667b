// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way to sm_90a, and what ptxas says of what comes out: registers within
// the roles' budgets, no spill (but a few outside of the loops where each batch
// entry has its own number of keys; what the other kernels spill, sm_80's tests
// watch), and none of the messages (C75xx, C76xx) that a product is waited for
// where it is started or a role has lost its registers.
// REQUIRES: ptxas
// RUN: fa-compile %examples/attention-causal.mlir --chip=sm_90a --stage=specialized | FileCheck %s --check-prefix=ROLES
// RUN: fa-compile %examples/attention-causal.mlir --chip=sm_90a --stage=async | FileCheck %s --check-prefix=ASYNC
// RUN: fa-compile %examples/attention-causal.mlir --chip=sm_90a -o %t.causal.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.causal.ptx
// RUN: %ptxas -arch=sm_90a -v %t.causal.ptx -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not=C75 --implicit-check-not=C76
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --chip=sm_90a -o %t.gqa.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.gqa.ptx
// RUN: %ptxas -arch=sm_90a -v %t.gqa.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=LENGTHS --implicit-check-not=C75 --implicit-check-not=C76
// RUN: fa-compile %examples/attention-softcap-alibi.mlir --chip=sm_90a -o %t.alibi.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.alibi.ptx
// RUN: %ptxas -arch=sm_90a -v %t.alibi.ptx -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not=C75 --implicit-check-not=C76
// RUN: fa-compile %examples/attention-bshd-causal.mlir --chip=sm_90a -o %t.bshd.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.bshd.ptx
// RUN: %ptxas -arch=sm_90a -v %t.bshd.ptx -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not=C75 --implicit-check-not=C76
// RUN: FileCheck %s --check-prefix=STAYS < %t.causal.ptx
// RUN: fa-compile %examples/attention-causal.mlir --chip=sm_90a --schedule="grid = blocks, q_buffers = 1, tma_store = false" -o %t.blocks.ptx
// RUN: FileCheck %s --check-prefix=BLOCKS < %t.blocks.ptx
// RUN: %ptxas -arch=sm_90a -v %t.blocks.ptx -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not=C75 --implicit-check-not=C76

// ROLES: gpu.func @fa_attention_tma
// ROLES: wg.role "producer" warpgroups 0 to 1 registers 40 single_thread
// ROLES: wg.tma_load
// ROLES: wg.role "consumers" warpgroups 1 to 3 registers 232
// ROLES: wg.acquire
// ROLES: wg.tma_store
// ROLES: gpu.func @fa_attention_wide
// ROLES-NOT: wg.role

// ASYNC: wg.mma_async
// ASYNC: wg.wait_mma

// PTX: "chip": "sm_90a"
// PTX: "rule": "exact"
// PTX: "name": "fa_attention_tma"
// PTX: "tensor_map"
// PTX: .target sm_90a
// PTX-NOT: .extern .func
// PTX: .entry fa_attention_tma
// PTX: .reqntid
// PTX: setmaxnreg
// PTX: wgmma.mma_async

// STAYS: "name": "fa_attention_tma"
// STAYS: "scratch",
// STAYS-NEXT: "counter"
// STAYS: "units"
// STAYS: "owner": "stream"
// STAYS: .entry fa_attention_tma
// STAYS: atom.{{.*}}inc.u32

// BLOCKS: .entry fa_attention_tma
// BLOCKS-NOT: inc.u32

// CHECK: Compiling entry function 'fa_attention_tma'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Used {{[0-9]+}} registers

// LENGTHS: Compiling entry function 'fa_attention_tma'
// LENGTHS: Used {{[0-9]+}} registers
