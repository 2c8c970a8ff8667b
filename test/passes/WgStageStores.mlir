// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of 16 bytes go through shared memory; the others stay.
// RUN: fa-opt --wg-stage-stores %s | FileCheck %s

!all = memref<?x128xf16, strided<[?, 1], offset: ?>>
!all32 = memref<?x64xf32, strided<[?, 1], offset: ?>>
!o = !wg.frag<64x128xf16, acc, warps = 4>
!o32 = !wg.frag<64x64xf32, acc, warps = 4>

// CHECK: fa.stage = "pipelined"
module attributes {fa.stage = "pipelined"} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @wide
  // CHECK-SAME: (%[[O:.*]]: !wg.frag<64x128xf16, acc, warps = 4>, %[[MEM:.*]]: memref<?x128xf16, strided<[?, 1], offset: ?>>, %[[O32:.*]]: !wg.frag<64x64xf32, acc, warps = 4>, %{{.*}}: memref{{.*}}, %[[N:.*]]: index)
  gpu.func @wide(%o: !o, %mem: !all, %o32: !o32, %mem32: !all32, %n: index) kernel attributes {fa.kernel} {
    // CHECK-NEXT: wg.barrier
    // CHECK-NEXT: %[[T:.*]] = wg.alloc : !wg.smem<64x128xf16>
    // CHECK-NEXT: wg.put %[[O]], %[[T]]
    // CHECK-NEXT: wg.barrier
    // CHECK-NEXT: wg.copy_out %[[T]], %[[MEM]] rows %[[N]] :
    wg.store %o, %mem rows %n : !o, !all
    // CHECK-NEXT: wg.barrier
    // CHECK-NEXT: %[[T32:.*]] = wg.alloc : !wg.smem<64x64xf32>
    // CHECK-NEXT: wg.put %[[O32]], %[[T32]]
    wg.store %o32, %mem32 rows %n : !o32, !all32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @narrow
  // CHECK-NOT: wg.put
  // CHECK: wg.store
  gpu.func @narrow(%o: !o, %mem: !all, %n: index) kernel attributes {fa.kernel} {
    wg.store %o, %mem rows %n {bytes = 8 : i64} : !o, !all
    gpu.return
  }
}
}
