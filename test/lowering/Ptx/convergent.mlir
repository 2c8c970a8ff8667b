// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-emit-ptx=to=- -o /dev/null | FileCheck %s

// Inline assembly that is not in the table is taken to be convergent. LLVM would
// unroll this loop 8 times, with a tail; one copy of the barrier has to stay.
// CHECK-LABEL: .entry loop(
// CHECK: bar.sync 0;
// CHECK-NOT: bar.sync 0;
// CHECK: ret;
gpu.module @kernels attributes {fa.target = "sm_80"} {
  llvm.func @loop(%n: i32) attributes {nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^head(%zero : i32)
  ^head(%i: i32):
    llvm.inline_asm has_side_effects "bar.sync 0;", "~{memory}" : () -> ()
    %next = llvm.add %i, %one : i32
    %more = llvm.icmp "slt" %next, %n : i32
    llvm.cond_br %more, ^head(%next : i32), ^exit
  ^exit:
    llvm.return
  }

  // The product is used in one branch only; it must not move there, where some
  // lanes of a warp may be missing.
  // CHECK-LABEL: .entry product(
  // CHECK: mma.sync
  // CHECK: bra
  // CHECK: st.volatile.global
  llvm.func @product(%a: i32, %c: f32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%c, %c, %c, %c]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>,
       shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %few = llvm.mlir.constant(3 : i32) : i32
    %mine = llvm.icmp "ult" %lane, %few : i32
    llvm.cond_br %mine, ^store, ^exit
  ^store:
    llvm.store volatile %d0, %p : f32, !llvm.ptr<1>
    llvm.br ^exit
  ^exit:
    llvm.return
  }
}
