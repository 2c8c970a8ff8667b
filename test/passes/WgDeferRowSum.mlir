// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum that is only needed behind the loop is joined there.
// RUN: fa-opt --wg-defer-row-sum %s | FileCheck %s

!s = !wg.frag<64x64xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>

gpu.module @kernels {
  // Two loops in a row: the parts are joined once, behind the second.
  // CHECK-LABEL: gpu.func @sum
  gpu.func @sum(%p: !s, %a: !rows, %n: index, %f: f32, %mem: memref<?xf32, strided<[1]>>) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    // CHECK: %[[L0:.*]] = wg.splat %{{.*}} : f32 -> !wg.rows<64xf32, warps = 4, partial = addf>
    %l0 = wg.splat %f : f32 -> !rows
    // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[L:.*]] = %[[L0]]) -> (!wg.rows<64xf32, warps = 4, partial = addf>)
    %r = scf.for %i = %zero to %n step %one iter_args(%l = %l0) -> (!rows) {
      // CHECK: %[[M:.*]] = wg.map(%{{.*}}, %[[L]] : !wg.rows<64xf32, warps = 4>, !wg.rows<64xf32, warps = 4, partial = addf>) -> !wg.rows<64xf32, warps = 4, partial = addf>
      %m = wg.map(%a, %l : !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %row: index):
        %z = arith.mulf %x, %y : f32
        wg.yield %z : f32
      }
      // CHECK: wg.reduce_rows addf %{{.*}}, %[[M]] : {{.*}}, !wg.rows<64xf32, warps = 4, partial = addf>
      %t = wg.reduce_rows addf %p, %m : !s, !rows
      scf.yield %t : !rows
    }
    // CHECK-NOT: wg.join_rows
    // CHECK: %[[R2:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[R]]) -> (!wg.rows<64xf32, warps = 4, partial = addf>)
    %r2 = scf.for %i = %zero to %n step %one iter_args(%l = %r) -> (!rows) {
      %t = wg.reduce_rows addf %p, %l : !s, !rows
      scf.yield %t : !rows
    }
    // CHECK: %[[WHOLE:.*]] = wg.join_rows %[[R2]]
    // CHECK-NEXT: wg.store_rows %[[WHOLE]]
    wg.store_rows %r2, %mem rows %n : !rows, memref<?xf32, strided<[1]>>
    gpu.return
  }

  // What K10 does not allow for parts, or where the loop itself needs the sum.
  // CHECK-LABEL: gpu.func @stays
  // CHECK-NOT: partial
  gpu.func @stays(%p: !s, %a: !rows, %n: index, %f: f32) kernel attributes {fa.kernel} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %l0 = wg.splat %f : f32 -> !rows
    // A maximum, not a sum.
    %r0 = scf.for %i = %zero to %n step %one iter_args(%l = %l0) -> (!rows) {
      %t = wg.reduce_rows maximumf %p, %l : !s, !rows
      scf.yield %t : !rows
    }
    // One more would be added by each of the four lanes.
    %r1 = scf.for %i = %zero to %n step %one iter_args(%l = %l0) -> (!rows) {
      %m = wg.map(%a, %l : !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %row: index):
        %z = arith.addf %x, %y : f32
        wg.yield %z : f32
      }
      %t = wg.reduce_rows addf %p, %m : !s, !rows
      scf.yield %t : !rows
    }
    // The square of the sum is not the sum of the squares.
    %r2 = scf.for %i = %zero to %n step %one iter_args(%l = %l0) -> (!rows) {
      %m = wg.map(%a, %l : !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %row: index):
        %z = arith.mulf %y, %y : f32
        wg.yield %z : f32
      }
      %t = wg.reduce_rows addf %p, %m : !s, !rows
      scf.yield %t : !rows
    }
    // Used in the loop.
    %r3:2 = scf.for %i = %zero to %n step %one iter_args(%l = %l0, %k = %l0) -> (!rows, !rows) {
      %t = wg.reduce_rows addf %p, %l : !s, !rows
      scf.yield %t, %t : !rows, !rows
    }
    // Whole rows that were computed cannot be taken apart.
    %r4 = scf.for %i = %zero to %n step %one iter_args(%l = %a) -> (!rows) {
      %t = wg.reduce_rows addf %p, %l : !s, !rows
      scf.yield %t : !rows
    }
    gpu.return
  }
}
