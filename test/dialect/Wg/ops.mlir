// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every op of the dialect once, read, printed and read again.
// RUN: fa-opt %s | fa-opt | FileCheck %s

!global = memref<?x128xf16, strided<[?, 1], offset: ?>>
!global_rows = memref<?xf32, strided<[?], offset: ?>>

// CHECK-LABEL: func.func @values
func.func @values(%mem: !global, %n: index, %c: f32) {
  // CHECK: wg.load %{{.*}} rows %{{.*}} : memref<?x128xf16, strided<[?, 1], offset: ?>> -> !wg.smem<64x128xf16>
  %q = wg.load %mem rows %n : !global -> !wg.smem<64x128xf16>
  // CHECK: wg.load %{{.*}} rows %{{.*}} {bytes = 2 : i64} : {{.*}} -> !wg.smem<64x128xf16, sw128>
  %k = wg.load %mem rows %n {bytes = 2 : i64} : !global -> !wg.smem<64x128xf16, sw128>
  // CHECK: wg.splat %{{.*}} : f32 -> !wg.frag<64x64xf32, acc, warps = 4>
  %s0 = wg.splat %c : f32 -> !wg.frag<64x64xf32, acc, warps = 4>
  // CHECK: wg.splat %{{.*}} : f32 -> !wg.rows<64xf32, warps = 4>
  %m0 = wg.splat %c : f32 -> !wg.rows<64xf32, warps = 4>
  // CHECK: wg.splat %{{.*}} : f32 -> !wg.rows<64xf32, warps = 4, partial = addf>
  %l0 = wg.splat %c : f32 -> !wg.rows<64xf32, warps = 4, partial = addf>
  // CHECK: wg.mma %{{.*}}, %{{.*}}, %{{.*}} {transpose_b} : !wg.smem<64x128xf16>, !wg.smem<64x128xf16, sw128>, !wg.frag<64x64xf32, acc, warps = 4>
  %s = wg.mma %q, %k, %s0 {transpose_b} : !wg.smem<64x128xf16>, !wg.smem<64x128xf16, sw128>, !wg.frag<64x64xf32, acc, warps = 4>
  // CHECK: wg.reduce_rows maximumf %{{.*}}, %{{.*}} : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>
  %m = wg.reduce_rows maximumf %s, %m0 : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>
  // CHECK: wg.map(%{{.*}}, %{{.*}} : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>) -> !wg.frag<64x64xf16, acc, warps = 4> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: index, %{{.*}}: index):
  %p = wg.map(%s, %m : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>) -> !wg.frag<64x64xf16, acc, warps = 4> {
  ^bb0(%se: f32, %me: f32, %r: index, %col: index):
    %d = arith.subf %se, %me : f32
    %e = math.exp2 %d : f32
    %h = arith.truncf %e : f32 to f16
    // CHECK: wg.yield %{{.*}} : f16
    wg.yield %h : f16
  }
  // CHECK: wg.reduce_rows addf %{{.*}} : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4, partial = addf>
  %l1 = wg.reduce_rows addf %s, %l0 : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4, partial = addf>
  %l2 = wg.map(%l1, %m : !wg.rows<64xf32, warps = 4, partial = addf>, !wg.rows<64xf32, warps = 4>) -> !wg.rows<64xf32, warps = 4, partial = addf> {
  ^bb0(%le: f32, %me: f32, %r: index):
    %x = arith.mulf %le, %me : f32
    wg.yield %x : f32
  }
  %low = wg.splat %c : f32 -> !wg.rows<64xf32, warps = 4, partial = maximumf>
  // CHECK: wg.reduce_rows largest_bits %{{.*}} : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4, partial = maximumf>
  %large = wg.reduce_rows largest_bits %s, %low : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4, partial = maximumf>
  // CHECK: wg.map(%{{.*}}, %{{.*}} : !wg.rows<64xf32, warps = 4, partial = maximumf>, !wg.rows<64xf32, warps = 4>) -> !wg.rows<64xf32, warps = 4, partial = maximumf> attributes {increasing} {
  %raised = wg.map(%large, %m : !wg.rows<64xf32, warps = 4, partial = maximumf>, !wg.rows<64xf32, warps = 4>) -> !wg.rows<64xf32, warps = 4, partial = maximumf> attributes {increasing} {
  ^bb0(%le: f32, %me: f32, %r: index):
    %x = arith.addf %le, %me : f32
    wg.yield %x : f32
  }
  // CHECK: wg.relayout %{{.*}} : !wg.frag<64x64xf16, acc, warps = 4> -> !wg.frag<64x64xf16, a, warps = 4>
  %a = wg.relayout %p : !wg.frag<64x64xf16, acc, warps = 4> -> !wg.frag<64x64xf16, a, warps = 4>
  %o0 = wg.splat %c : f32 -> !wg.frag<64x128xf32, acc, warps = 4>
  // CHECK: wg.mma %{{.*}}, %{{.*}}, %{{.*}} : !wg.frag<64x64xf16, a, warps = 4>, !wg.smem<64x128xf16>, !wg.frag<64x128xf32, acc, warps = 4>
  %o = wg.mma %a, %q, %o0 : !wg.frag<64x64xf16, a, warps = 4>, !wg.smem<64x128xf16>, !wg.frag<64x128xf32, acc, warps = 4>
  // CHECK: wg.map() -> !wg.frag<64x128xf16, acc, warps = 4> {
  %ones = wg.map() -> !wg.frag<64x128xf16, acc, warps = 4> {
  ^bb0(%r: index, %col: index):
    %one = arith.constant 1.0 : f16
    wg.yield %one : f16
  }
  return
}

// CHECK-LABEL: func.func @stores
func.func @stores(%o: !wg.frag<64x128xf16, acc, warps = 4>, %lse: !wg.rows<64xf32, warps = 4>, %mem: !global, %vals: !global_rows, %n: index) {
  // CHECK: wg.store %{{.*}}, %{{.*}} rows %{{.*}} : !wg.frag<64x128xf16, acc, warps = 4>, memref<?x128xf16, strided<[?, 1], offset: ?>>
  wg.store %o, %mem rows %n : !wg.frag<64x128xf16, acc, warps = 4>, !global
  // CHECK: wg.store_rows %{{.*}}, %{{.*}} rows %{{.*}} : !wg.rows<64xf32, warps = 4>, memref<?xf32, strided<[?], offset: ?>>
  wg.store_rows %lse, %vals rows %n : !wg.rows<64xf32, warps = 4>, !global_rows
  return
}

// CHECK-LABEL: func.func @pipelined
func.func @pipelined(%mem: !global, %o: !wg.frag<64x128xf16, acc, warps = 4>, %n: index, %i: index) {
  // CHECK: wg.alloc : !wg.ring<2 x 64x128xf16>
  %ring = wg.alloc : !wg.ring<2 x 64x128xf16>
  // CHECK: wg.alloc {offset = 32768 : i64} : !wg.smem<64x128xf16>
  %out = wg.alloc {offset = 32768 : i64} : !wg.smem<64x128xf16>
  // CHECK: wg.slot %{{.*}}[%{{.*}}] : !wg.ring<2 x 64x128xf16>
  %t = wg.slot %ring[%i] : !wg.ring<2 x 64x128xf16>
  // CHECK: wg.copy %{{.*}}, %{{.*}} rows %{{.*}} {bytes = 2 : i64} : memref<?x128xf16, strided<[?, 1], offset: ?>>, !wg.smem<64x128xf16>
  wg.copy %mem, %t rows %n {bytes = 2 : i64} : !global, !wg.smem<64x128xf16>
  // CHECK: wg.copy_async %{{.*}}, %{{.*}} rows %{{.*}} : memref<?x128xf16, strided<[?, 1], offset: ?>>, !wg.smem<64x128xf16>
  wg.copy_async %mem, %t rows %n : !global, !wg.smem<64x128xf16>
  // CHECK: wg.commit_copies
  wg.commit_copies
  // CHECK: wg.wait_copies 1
  wg.wait_copies 1
  // CHECK: wg.barrier
  wg.barrier
  // CHECK: wg.put %{{.*}}, %{{.*}} : !wg.frag<64x128xf16, acc, warps = 4>, !wg.smem<64x128xf16>
  wg.put %o, %out : !wg.frag<64x128xf16, acc, warps = 4>, !wg.smem<64x128xf16>
  // CHECK: wg.get %{{.*}} : !wg.smem<64x128xf16> -> !wg.frag<64x96xf16, a, warps = 4>
  %front = wg.get %out : !wg.smem<64x128xf16> -> !wg.frag<64x96xf16, a, warps = 4>
  wg.barrier
  // CHECK: wg.copy_out %{{.*}}, %{{.*}} rows %{{.*}} : !wg.smem<64x128xf16>, memref<?x128xf16, strided<[?, 1], offset: ?>>
  wg.copy_out %out, %mem rows %n : !wg.smem<64x128xf16>, !global
  return
}

// Fragments and rows are values: loops carry them, branches yield them.
// CHECK-LABEL: func.func @carried
func.func @carried(%f: !wg.frag<64x128xf32, acc, warps = 4>, %m: !wg.rows<64xf32, warps = 4>, %lo: index, %hi: index, %c: i1)
    -> (!wg.frag<64x128xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>) {
  // CHECK: scf.for {{.*}} iter_args({{.*}}) -> (!wg.frag<64x128xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>)
  %r:2 = scf.for %i = %lo to %hi step %hi iter_args(%a = %f, %b = %m) -> (!wg.frag<64x128xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>) {
    // CHECK: scf.if %{{.*}} -> (!wg.frag<64x128xf32, acc, warps = 4>)
    %x = scf.if %c -> (!wg.frag<64x128xf32, acc, warps = 4>) {
      scf.yield %a : !wg.frag<64x128xf32, acc, warps = 4>
    } else {
      scf.yield %f : !wg.frag<64x128xf32, acc, warps = 4>
    }
    scf.yield %x, %b : !wg.frag<64x128xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>
  }
  return %r#0, %r#1 : !wg.frag<64x128xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>
}
