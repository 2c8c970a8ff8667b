// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings with mbarriers: a cursor is a slot's number and a parity; full barriers
// stand before the empty ones.
// RUN: fa-opt %s --fa-wg-to-nvvm --canonicalize --cse | FileCheck %s

!ring = !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
!mail = !wg.ring<2 x 1x4xi32, consumers = 2>
!from = !wg.cursor<2, producer>
!to = !wg.cursor<2, consumer>

gpu.module @kernels attributes {fa.target = "sm_90a"} {
  // One thread prepares both barriers of both slots: 1 arrival for full, one a
  // warpgroup for empty.
  // CHECK-LABEL: gpu.func @init
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
  // CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]]
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-COUNT-2: llvm.inline_asm {{.*}} "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}" %{{.*}}, %[[ONE]]
  // CHECK-COUNT-2: llvm.inline_asm {{.*}} "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}" %{{.*}}, %[[TWO]]
  // CHECK: "fence.mbarrier_init.release.cluster;"
  // CHECK: "fence.proxy.async.shared::cta;"
  // CHECK: }
  // CHECK: nvvm.barrier
  gpu.func @init() kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %r = wg.alloc {offset = 0, barrier_offset = 16384} : !ring
    wg.init %r : !ring
    gpu.return
  }

  // CHECK-LABEL: gpu.func @consume
  gpu.func @consume(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %r = wg.alloc {offset = 0, barrier_offset = 16384} : !ring
    wg.role "consumers" warpgroups 1 to 3 registers 240 {
    ^bb0(%w: index):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %at = wg.cursor : !to
      // The index and the parity are carried as two values, from 0 and 0.
      // CHECK: scf.for {{.*}} iter_args(%[[I:.*]] = %[[Z:.*]], %[[P:.*]] = %[[Z]]) -> (i32, i32)
      %end = scf.for %j = %c0 to %n step %c1 iter_args(%c = %at) -> (!to) {
        // CHECK: %[[BYTES:.*]] = arith.muli %[[I]]
        // CHECK: %[[FULL:.*]] = arith.addi %{{.*}}, %[[BYTES]]
        // CHECK: llvm.inline_asm {{.*}}mbarrier.try_wait.parity.shared::cta.b64{{.*}} %[[FULL]], %[[P]] : (i32, i32)
        %t = wg.acquire %r[%c] : !ring
        // CHECK: %[[EMPTY:.*]] = arith.addi %[[FULL]]
        // CHECK: llvm.inline_asm {{.*}}@mine mbarrier.arrive.shared::cta.b64 _, [$0];{{.*}} %[[EMPTY]]
        wg.release %r[%c] : !ring
        // CHECK: %[[NEXT:.*]] = arith.addi %[[I]]
        // CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]]
        // CHECK-DAG: %[[FLIP:.*]] = arith.extui %[[WRAPS]] : i1 to i32
        // CHECK-DAG: %[[I1:.*]] = arith.select %[[WRAPS]], %[[Z]], %[[NEXT]]
        // CHECK-DAG: %[[P1:.*]] = arith.xori %[[P]], %[[FLIP]]
        // CHECK: scf.yield %[[I1]], %[[P1]]
        %d = wg.advance %c : !to
        scf.yield %d : !to
      }
    }
    gpu.return
  }

  // The producer's first wait is for the parity that is over from the start.
  // CHECK-LABEL: gpu.func @mail
  gpu.func @mail(%counter: memref<i32>, %tiles: index, %out: memref<index>) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[WARPS:.*]] = arith.constant 8 : i32
    %m = wg.alloc {offset = 0, barrier_offset = 32} : !mail
    // Each of two warpgroups' warps gives a message back.
    // CHECK-COUNT-2: mbarrier.init{{.*}}, %[[ONE]] : (i32, i32)
    // CHECK-COUNT-2: mbarrier.init{{.*}}, %[[WARPS]] : (i32, i32)
    wg.init %m : !mail
    // CHECK: scf.if
    // CHECK: scf.if
    wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
    ^bb0(%w: index):
      // CHECK: %[[LAST:.*]] = arith.addi %{{.*}} : i32
      // CHECK: %[[OLD:.*]] = llvm.atomicrmw uinc_wrap %{{.*}}, %[[LAST]] syncscope("device") monotonic : !llvm.ptr<1>, i32
      // CHECK: %[[GRID:.*]] = gpu.grid_dim x
      // CHECK: arith.addi %{{.*}}, %[[GRID]]
      %tile = wg.fetch_tile %counter of %tiles : memref<i32>
      %c = wg.cursor : !from
      // CHECK: try_wait{{.*}}, %[[ONE]] : (i32, i32)
      // CHECK-COUNT-2: llvm.store %{{.*}} : i32, !llvm.ptr<3>
      // CHECK: llvm.inline_asm {{.*}} "mbarrier.arrive.shared::cta.b64 _, [$0];"
      wg.send %tile, %tiles to %m[%c] : !mail
    }
    // CHECK: else
    wg.role "consumers" warpgroups 1 to 3 registers 240 {
    ^bb0(%w: index):
      %c = wg.cursor : !to
      // CHECK: try_wait{{.*}}, %[[ZERO]] : (i32, i32)
      // One lane of each warp reads, arrives, and tells the others.
      // CHECK: %[[WORD:.*]] = scf.if
      // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
      // CHECK: mbarrier.arrive
      // CHECK-NEXT: scf.yield
      // CHECK: %[[SAME:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WORD]], %[[ZERO]]
      // CHECK: arith.index_cast %[[SAME]] : i32 to index
      %v = wg.receive %m[%c] : !mail -> index
      memref.store %v, %out[] : memref<index>
    }
    gpu.return
  }
}
