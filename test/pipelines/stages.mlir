// What a reader sees at each stage, in the op's own words.
// RUN: fa-compile %examples/attention-causal.mlir --stage=buffers | FileCheck %s --check-prefix=BUFFERS
// RUN: fa-compile %examples/attention-causal.mlir --stage=tiled | FileCheck %s --check-prefix=TILED
// RUN: fa-compile %examples/attention-causal.mlir --stage=online | FileCheck %s --check-prefix=ONLINE
// RUN: fa-compile %examples/attention-causal.mlir --stage=masked | FileCheck %s --check-prefix=MASKED
// RUN: fa-compile %examples/attention-causal.mlir --stage=outlined | FileCheck %s --check-prefix=OUTLINED
// RUN: fa-compile %examples/attention-causal.mlir --stage=values | FileCheck %s --check-prefix=VALUES
// RUN: fa-compile %examples/attention-causal.mlir --stage=pipelined | FileCheck %s --check-prefix=PIPELINED
// RUN: fa-compile %examples/attention-causal.mlir --stage=addressed | FileCheck %s --check-prefix=ADDRESSED
// RUN: fa-compile %examples/attention-causal.mlir --stage=nvvm | FileCheck %s --check-prefix=NVVM
// RUN: fa-compile %examples/attention-causal.mlir | FileCheck %s --check-prefix=PTX

// BUFFERS: fa.stage = "buffers"
// BUFFERS: func.func @attention
// BUFFERS-SAME: fa.tensor = #fa.tensor<"q", in
// BUFFERS: fa.attention

// TILED: scf.forall
// TILED: memref.subview
// TILED: fa.attention
// TILED-SAME: at(

// The online-softmax loop: one product, the row statistics, the other product.
// ONLINE: scf.for {{.*}} iter_args
// ONLINE: linalg.matmul
// ONLINE: fa.keep
// ONLINE: fa.step = "row_max"
// ONLINE: fa.step = "exp"
// ONLINE: fa.step = "row_sum"
// ONLINE: linalg.matmul
// ONLINE: scf.yield

// MASKED: scf.for
// MASKED: scf.if
// MASKED: fa.keep

// OUTLINED: fa.manifest
// OUTLINED: gpu.func @fa_attention
// OUTLINED-SAME: #fa.param<pointer "q">
// OUTLINED-NOT: fa.keep

// VALUES: gpu.func @fa_attention_wide
// VALUES: wg.load
// VALUES: scf.for
// VALUES: wg.mma
// VALUES: wg.reduce_rows maximumf
// VALUES: wg.mma
// VALUES: wg.store
// VALUES: gpu.func @fa_attention(

// PIPELINED: wg.alloc : !wg.ring<1 x
// PIPELINED: wg.copy_async
// PIPELINED: scf.for
// PIPELINED: wg.wait_copies
// PIPELINED: wg.barrier

// ADDRESSED: wg.shared_bytes
// ADDRESSED: wg.alloc {offset = {{[0-9]+}} : i64}
// ADDRESSED-NOT: wg.load

// NVVM: llvm.func @fa_attention_wide
// NVVM: nvvm.mma.sync

// PTX: // fa-manifest 1
// PTX: // fa-manifest end
// PTX: .target sm_80
// PTX: .entry fa_attention_wide
// PTX-DAG: cp.async
// PTX-DAG: ldmatrix
// PTX-DAG: mma.sync
