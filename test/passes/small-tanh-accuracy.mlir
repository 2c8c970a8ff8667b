// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The polynomial of wg-small-tanh against float64.
// RUN: fa-opt %s --wg-small-tanh | %python %S/Inputs/small_tanh.py | FileCheck %s
// CHECK: largest relative error

!s = !wg.frag<64x64xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>

module attributes {fa.stage = "async"} {
gpu.module @m {
gpu.func @f(%s: !s, %r: !rows, %O: memref<?xf32, strided<[?], offset: ?>>, %n: index) kernel attributes {fa.kernel, fa.tma} {
  %t = wg.map(%s : !s) -> !s {
  ^bb0(%x: f32, %row: index, %col: index):
    %h = math.tanh %x : f32
    wg.yield %h : f32
  }
  %l = wg.reduce_rows addf %t, %r : !s, !rows
  wg.store_rows %l, %O rows %n : !rows, memref<?xf32, strided<[?], offset: ?>>
  gpu.return
}
}
}
