// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roles are branches on the warpgroup's number, one in the other's else; turns
// are pairs of named barriers.
// RUN: fa-opt %s --fa-wg-to-nvvm --canonicalize | FileCheck %s

gpu.module @kernels attributes {fa.target = "sm_90a"} {
  // CHECK-LABEL: gpu.func @roles
  // CHECK-SAME: wg.min_blocks = 1
  gpu.func @roles(%counter: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    // CHECK-DAG: %[[THREADS:.*]] = arith.constant 256 : i32
    // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
    // CHECK: %[[INBLOCK:.*]] = arith.divui
    // CHECK: %[[WG:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[INBLOCK]], %[[ZERO]]
    // CHECK: %[[PRODUCES:.*]] = arith.cmpi slt, %[[WG]], %[[ONE]]
    // CHECK: scf.if %[[PRODUCES]] {
    // CHECK: nvvm.setmaxregister decrease 24
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %[[ZERO]]
    // CHECK: scf.if %[[FIRST]] {
    // CHECK: llvm.atomicrmw
    wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
    ^bb0(%w: index):
      %tile = wg.fetch_tile %counter of %n : memref<i32>
    }
    // CHECK: } else {
    // CHECK: scf.if
    // CHECK: nvvm.setmaxregister increase 240
    // The last warpgroup lets warpgroup 0 start.
    // CHECK: %[[W:.*]] = arith.addi %[[WG]]
    // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[W]], %[[ONE]]
    // CHECK: scf.if %[[LAST]] {
    // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%[[ONE]], %[[THREADS]])
    wg.role "consumers" warpgroups 1 to 3 registers 240 ping_pong attributes {turn_id = 1 : i64} {
    ^bb0(%w: index):
      // CHECK: nvvm.barrier id = %[[OWN:.*]] number_of_threads = %[[THREADS]]
      // CHECK: nvvm.read.ptx.sreg.clock
      // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%{{.*}}, %[[THREADS]])
      %t = wg.turn -> (i32) {
        %clock = nvvm.read.ptx.sreg.clock : i32
        wg.yield %clock : i32
      }
      memref.store %t, %counter[] : memref<i32>
      // A barrier of the warpgroup alone.
      // CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
      wg.barrier {id = 4 : i64}
      // Warpgroup 0 takes the arrival that is left.
      // CHECK: scf.if
      // CHECK-NEXT: nvvm.barrier id = %[[ONE]] number_of_threads = %[[THREADS]]
    }
    gpu.return
  }
}
