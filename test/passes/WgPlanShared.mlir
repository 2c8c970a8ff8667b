// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in shared memory; what is never needed at once shares one.
// RUN: fa-opt --wg-plan-shared %s | FileCheck %s

!global = memref<?x128xf16, strided<[?, 1], offset: ?>>
!q = !wg.smem<128x128xf16>
!tile = !wg.smem<64x128xf16>
!ring = !wg.ring<2 x 64x128xf16>
!acc = !wg.frag<128x64xf32, acc, warps = 4>
!out = !wg.frag<128x128xf16, acc, warps = 4>

// CHECK: fa.manifest = {kernels = [{name = "pipelined", shared_bytes = 65536 : i64}, {name = "elsewhere", shared_bytes = 7 : i64}, {name = "no_barrier", shared_bytes = 49152 : i64}], name = "attention"}
// CHECK-SAME: fa.stage = "addressed"
module attributes {fa.stage = "pipelined", fa.manifest = {name = "attention", kernels = [
    {name = "pipelined", shared_bytes = 0 : i64}, {name = "elsewhere", shared_bytes = 7 : i64},
    {name = "no_barrier", shared_bytes = 0 : i64}]}} {
gpu.module @kernels attributes {fa.target = "sm_80"} {
  // The ring is done at the barrier behind the wait for its last copies, so the
  // output may have its place; Q is needed in the loop beside the ring.
  // CHECK-LABEL: gpu.func @pipelined
  // CHECK-SAME: wg.shared_bytes = 65536 : i64
  gpu.func @pipelined(%mem: !global, %n: index, %i: index, %f: f32, %o: !out) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %step = arith.constant 64 : index
    // CHECK: wg.alloc {offset = 0 : i64} : !wg.smem<128x128xf16>
    %q = wg.alloc : !q
    wg.copy_async %mem, %q rows %n : !global, !q
    wg.commit_copies
    // CHECK: wg.alloc {offset = 32768 : i64} : !wg.ring<2 x 64x128xf16>
    %ring = wg.alloc : !ring
    %s0 = wg.splat %f : f32 -> !acc
    %r = scf.for %j = %zero to %n step %step iter_args(%s = %s0) -> (!acc) {
      wg.wait_copies 1
      wg.barrier
      %k = wg.slot %ring[%i] : !ring
      wg.copy_async %mem, %k rows %n : !global, !tile
      wg.commit_copies
      %t = wg.mma %q, %k, %s {transpose_b} : !q, !tile, !acc
      scf.yield %t : !acc
    }
    wg.wait_copies 0
    wg.barrier
    // CHECK: wg.alloc {offset = 0 : i64} : !wg.smem<128x128xf16>
    %out = wg.alloc : !q
    wg.put %o, %out : !out, !q
    wg.barrier
    wg.copy_out %out, %mem rows %n : !q, !global
    gpu.return
  }

  // Without a barrier one thread may write the second tile while another still
  // reads the first.
  // CHECK-LABEL: gpu.func @no_barrier
  // CHECK-SAME: wg.shared_bytes = 49152 : i64
  gpu.func @no_barrier(%mem: !global, %n: index, %f: f32) kernel attributes {fa.kernel} {
    %s0 = wg.splat %f : f32 -> !wg.frag<64x64xf32, acc, warps = 4>
    // CHECK: wg.alloc {offset = 0 : i64}
    %a = wg.alloc : !tile
    wg.copy %mem, %a rows %n : !global, !tile
    wg.barrier
    %s = wg.mma %a, %a, %s0 {transpose_b} : !tile, !tile, !wg.frag<64x64xf32, acc, warps = 4>
    // CHECK: wg.alloc {offset = 16384 : i64}
    %b = wg.alloc : !tile
    wg.copy %mem, %b rows %n : !global, !tile
    // No wait of 0 covers this copy: the place is taken to the end.
    // CHECK: wg.alloc {offset = 32768 : i64}
    %c = wg.alloc : !tile
    wg.copy_async %mem, %c rows %n : !global, !tile
    wg.commit_copies
    wg.barrier
    // Here `a` and `b` are both done.
    // CHECK: wg.alloc {offset = 0 : i64}
    %d = wg.alloc : !tile
    wg.copy %mem, %d rows %n : !global, !tile
    gpu.return
  }

  // A place in a branch frees nothing for what runs without that branch.
  // CHECK-LABEL: gpu.func @branch
  gpu.func @branch(%mem: !global, %n: index, %c: i1) kernel attributes {fa.kernel} {
    // CHECK: wg.alloc {offset = 0 : i64}
    %a = wg.alloc : !tile
    scf.if %c {
      wg.copy %mem, %a rows %n : !global, !tile
    } else {
      wg.barrier
      // CHECK: wg.alloc {offset = 16384 : i64}
      %b = wg.alloc : !tile
      wg.copy %mem, %b rows %n : !global, !tile
    }
    gpu.return
  }

  // The places of barriers are behind those of all tiles.
  // CHECK-LABEL: gpu.func @barriers
  // CHECK-SAME: wg.shared_bytes = 32800 : i64
  gpu.func @barriers(%mem: !global) kernel attributes {fa.kernel} {
    // CHECK: wg.alloc {barrier_offset = 32768 : i64, offset = 0 : i64}
    %a = wg.alloc : !wg.ring<2 x 64x128xf16, sw128, consumers = 2>
    gpu.return
  }
}
}
