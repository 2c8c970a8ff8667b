// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One whole sm_80 kernel at stage `addressed`, by hand: 128 queries a block, 64
// keys a step, D = 128, K and V in rings of two, causal by a guard. The waits
// stand before each product, as in FlashAttention-2: the barrier before the
// second keeps ptxas from reading V while the scores still fill the registers.

// RUN: fa-opt %s --fa-nvvm-pipeline --fa-emit-ptx=to=%t.ptx -o /dev/null
// RUN: FileCheck %s < %t.ptx
// RUN: not grep -F .local %t.ptx
// CHECK: .version 7.4
// CHECK-NEXT: .target sm_80
// CHECK-NOT: .extern .func
// CHECK: .visible .entry attention(
// CHECK: .reqntid 128
// CHECK-DAG: cp.async.cg.shared.global.L2::128B
// CHECK-DAG: cp.async.commit_group
// CHECK-DAG: cp.async.wait_group 1
// CHECK-DAG: bar.sync
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-DAG: shfl.sync.bfly
// CHECK-DAG: ex2.approx.ftz.f32
// CHECK-DAG: cvt.rn.f16x2.f32
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-DAG: st.global.v4.b32
gpu.module @kernels attributes {fa.target = "sm_80"} {
  gpu.func @attention(%q: memref<f16>, %k: memref<f16>, %v: memref<f16>, %o: memref<f16>, %lse: memref<f32>,
                      %heads: index, %sq: index, %sk: index,
                      %qb: index, %qh: index, %qs: index, %kb: index, %kh: index, %ks: index,
                      %vb: index, %vh: index, %vs: index, %ob: index, %oh: index, %os: index,
                      %lb: index, %lh: index, %group: index, %scale: f32)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>, wg.shared_bytes = 98304} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %log2e = arith.constant 1.44269504 : f32
    %ln2 = arith.constant 0.693147182 : f32
    %c = arith.mulf %scale, %log2e : f32

    %tile = gpu.block_id x
    %sq127 = arith.addi %sq, %c127 : index
    %tiles = arith.divui %sq127, %c128 : index
    %bh = arith.divui %tile, %tiles : index
    %t = arith.remui %tile, %tiles : index
    %b = arith.divui %bh, %heads : index
    %h = arith.remui %bh, %heads : index
    %hk = arith.divui %h, %group : index
    %i0 = arith.muli %t, %c128 : index
    %qn = arith.subi %sq, %i0 : index

    %q0 = arith.muli %b, %qb : index
    %q1 = arith.muli %h, %qh : index
    %q2 = arith.muli %i0, %qs : index
    %q3 = arith.addi %q0, %q1 : index
    %qo = arith.addi %q3, %q2 : index
    %qm = memref.reinterpret_cast %q to offset: [%qo], sizes: [%qn, 128], strides: [%qs, 1] : memref<f16> to memref<?x128xf16, strided<[?, 1], offset: ?>>
    %k0 = arith.muli %b, %kb : index
    %k1 = arith.muli %hk, %kh : index
    %ko = arith.addi %k0, %k1 : index
    %km = memref.reinterpret_cast %k to offset: [%ko], sizes: [%sk, 128], strides: [%ks, 1] : memref<f16> to memref<?x128xf16, strided<[?, 1], offset: ?>>
    %v0 = arith.muli %b, %vb : index
    %v1 = arith.muli %hk, %vh : index
    %vo = arith.addi %v0, %v1 : index
    %vm = memref.reinterpret_cast %v to offset: [%vo], sizes: [%sk, 128], strides: [%vs, 1] : memref<f16> to memref<?x128xf16, strided<[?, 1], offset: ?>>

    // The last key that the last row keeps, bottom-right aligned.
    %off = arith.subi %sk, %sq : index
    %last = arith.addi %i0, %off : index
    %past = arith.addi %last, %c128 : index
    %end0 = arith.minsi %past, %sk : index
    %end = arith.maxsi %end0, %c0 : index

    %qt = wg.alloc {offset = 0} : !wg.smem<128x128xf16>
    %kr = wg.alloc {offset = 32768} : !wg.ring<2 x 64x128xf16>
    %vr = wg.alloc {offset = 65536} : !wg.ring<2 x 64x128xf16>

    wg.copy_async %qm, %qt rows %qn : memref<?x128xf16, strided<[?, 1], offset: ?>>, !wg.smem<128x128xf16>
    %kt0 = wg.slot %kr[%c0] : !wg.ring<2 x 64x128xf16>
    wg.copy_async %km, %kt0 rows %sk : memref<?x128xf16, strided<[?, 1], offset: ?>>, !wg.smem<64x128xf16>
    wg.commit_copies
    %vt0 = wg.slot %vr[%c0] : !wg.ring<2 x 64x128xf16>
    wg.copy_async %vm, %vt0 rows %sk : memref<?x128xf16, strided<[?, 1], offset: ?>>, !wg.smem<64x128xf16>
    wg.commit_copies

    %m0 = wg.splat %ninf : f32 -> !wg.rows<128xf32, warps = 4>
    %l0 = wg.splat %zero : f32 -> !wg.rows<128xf32, warps = 4, partial = addf>
    %acc0 = wg.splat %zero : f32 -> !wg.frag<128x128xf32, acc, warps = 4>
    %szero = wg.splat %zero : f32 -> !wg.frag<128x64xf32, acc, warps = 4>
    %r:4 = scf.for %j0 = %c0 to %end step %c64 iter_args(%m = %m0, %l = %l0, %acc = %acc0, %stage = %c0)
        -> (!wg.rows<128xf32, warps = 4>, !wg.rows<128xf32, warps = 4, partial = addf>, !wg.frag<128x128xf32, acc, warps = 4>, index) {
      wg.wait_copies 1
      wg.barrier
      %next = arith.subi %c1, %stage : index
      %j1 = arith.addi %j0, %c64 : index
      %left = arith.subi %sk, %j1 : index
      %kmn = memref.subview %km[%j1, 0] [%left, 128] [1, 1] : memref<?x128xf16, strided<[?, 1], offset: ?>> to memref<?x128xf16, strided<[?, 1], offset: ?>>
      %ktn = wg.slot %kr[%next] : !wg.ring<2 x 64x128xf16>
      wg.copy_async %kmn, %ktn rows %left : memref<?x128xf16, strided<[?, 1], offset: ?>>, !wg.smem<64x128xf16>
      wg.commit_copies

      %kt = wg.slot %kr[%stage] : !wg.ring<2 x 64x128xf16>
      %s = wg.mma %qt, %kt, %szero {transpose_b} : !wg.smem<128x128xf16>, !wg.smem<64x128xf16>, !wg.frag<128x64xf32, acc, warps = 4>

      // Some key of the tile is past the diagonal of the first row, or past the end.
      %lastkey = arith.subi %j1, %c1 : index
      %pastdiag = arith.cmpi sgt, %lastkey, %last : index
      %pastend = arith.cmpi sgt, %j1, %sk : index
      %edge = arith.ori %pastdiag, %pastend : i1
      %sm = scf.if %edge -> !wg.frag<128x64xf32, acc, warps = 4> {
        %masked = wg.map(%s : !wg.frag<128x64xf32, acc, warps = 4>) -> !wg.frag<128x64xf32, acc, warps = 4> {
        ^bb0(%se: f32, %row: index, %col: index):
          %j = arith.addi %j0, %col : index
          %i = arith.addi %i0, %row : index
          %limit = arith.addi %i, %off : index
          %kept0 = arith.cmpi sle, %j, %limit : index
          %kept1 = arith.cmpi slt, %j, %sk : index
          %kept = arith.andi %kept0, %kept1 : i1
          %y = arith.select %kept, %se, %ninf : f32
          wg.yield %y : f32
        }
        scf.yield %masked : !wg.frag<128x64xf32, acc, warps = 4>
      } else {
        scf.yield %s : !wg.frag<128x64xf32, acc, warps = 4>
      }

      %mn = wg.reduce_rows maximumf %sm, %m : !wg.frag<128x64xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4>
      %mc = wg.map(%mn : !wg.rows<128xf32, warps = 4>) -> !wg.rows<128xf32, warps = 4> {
      ^bb0(%x: f32, %row: index):
        %none = arith.cmpf oeq, %x, %ninf : f32
        %y = arith.mulf %x, %c : f32
        %z = arith.select %none, %zero, %y : f32
        wg.yield %z : f32
      }
      %al = wg.map(%m, %mc : !wg.rows<128xf32, warps = 4>, !wg.rows<128xf32, warps = 4>) -> !wg.rows<128xf32, warps = 4> {
      ^bb0(%x: f32, %y: f32, %row: index):
        %n = arith.negf %y : f32
        %d = math.fma %x, %c, %n : f32
        %e = math.exp2 %d : f32
        wg.yield %e : f32
      }
      %p = wg.map(%sm, %mc : !wg.frag<128x64xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4>) -> !wg.frag<128x64xf32, acc, warps = 4> {
      ^bb0(%x: f32, %y: f32, %row: index, %col: index):
        %n = arith.negf %y : f32
        %d = math.fma %x, %c, %n : f32
        %e = math.exp2 %d : f32
        wg.yield %e : f32
      }
      %l1 = wg.map(%l, %al : !wg.rows<128xf32, warps = 4, partial = addf>, !wg.rows<128xf32, warps = 4>) -> !wg.rows<128xf32, warps = 4, partial = addf> {
      ^bb0(%x: f32, %y: f32, %row: index):
        %z = arith.mulf %x, %y : f32
        wg.yield %z : f32
      }
      %l2 = wg.reduce_rows addf %p, %l1 : !wg.frag<128x64xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4, partial = addf>
      %ph = wg.map(%p : !wg.frag<128x64xf32, acc, warps = 4>) -> !wg.frag<128x64xf16, acc, warps = 4> {
      ^bb0(%x: f32, %row: index, %col: index):
        %y = arith.truncf %x : f32 to f16
        wg.yield %y : f16
      }
      %pa = wg.relayout %ph : !wg.frag<128x64xf16, acc, warps = 4> -> !wg.frag<128x64xf16, a, warps = 4>
      %acc1 = wg.map(%acc, %al : !wg.frag<128x128xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4>) -> !wg.frag<128x128xf32, acc, warps = 4> {
      ^bb0(%x: f32, %y: f32, %row: index, %col: index):
        %z = arith.mulf %x, %y : f32
        wg.yield %z : f32
      }
      wg.wait_copies 1
      wg.barrier
      %vmn = memref.subview %vm[%j1, 0] [%left, 128] [1, 1] : memref<?x128xf16, strided<[?, 1], offset: ?>> to memref<?x128xf16, strided<[?, 1], offset: ?>>
      %vtn = wg.slot %vr[%next] : !wg.ring<2 x 64x128xf16>
      wg.copy_async %vmn, %vtn rows %left : memref<?x128xf16, strided<[?, 1], offset: ?>>, !wg.smem<64x128xf16>
      wg.commit_copies
      %vt = wg.slot %vr[%stage] : !wg.ring<2 x 64x128xf16>
      %acc2 = wg.mma %pa, %vt, %acc1 : !wg.frag<128x64xf16, a, warps = 4>, !wg.smem<64x128xf16>, !wg.frag<128x128xf32, acc, warps = 4>
      scf.yield %mn, %l2, %acc2, %next : !wg.rows<128xf32, warps = 4>, !wg.rows<128xf32, warps = 4, partial = addf>, !wg.frag<128x128xf32, acc, warps = 4>, index
    }
    wg.wait_copies 0
    wg.barrier

    %l = wg.join_rows %r#1 : !wg.rows<128xf32, warps = 4, partial = addf>
    %inv = wg.map(%l : !wg.rows<128xf32, warps = 4>) -> !wg.rows<128xf32, warps = 4> {
    ^bb0(%x: f32, %row: index):
      %none = arith.cmpf oeq, %x, %zero : f32
      %y = arith.divf %one, %x : f32
      %z = arith.select %none, %zero, %y : f32
      wg.yield %z : f32
    }
    %out = wg.map(%r#2, %inv : !wg.frag<128x128xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4>) -> !wg.frag<128x128xf16, acc, warps = 4> {
    ^bb0(%x: f32, %y: f32, %row: index, %col: index):
      %z = arith.mulf %x, %y : f32
      %w = arith.truncf %z : f32 to f16
      wg.yield %w : f16
    }
    %ls = wg.map(%r#0, %l : !wg.rows<128xf32, warps = 4>, !wg.rows<128xf32, warps = 4>) -> !wg.rows<128xf32, warps = 4> {
    ^bb0(%x: f32, %y: f32, %row: index):
      %none = arith.cmpf oeq, %y, %zero : f32
      %s0 = arith.mulf %x, %scale : f32
      %lg = math.log %y : f32
      %s1 = arith.addf %s0, %lg : f32
      %z = arith.select %none, %ninf, %s1 : f32
      wg.yield %z : f32
    }
    // O goes out through Q's place.
    wg.put %out, %qt : !wg.frag<128x128xf16, acc, warps = 4>, !wg.smem<128x128xf16>
    wg.barrier
    %o0 = arith.muli %b, %ob : index
    %o1 = arith.muli %h, %oh : index
    %o2 = arith.muli %i0, %os : index
    %o3 = arith.addi %o0, %o1 : index
    %oo = arith.addi %o3, %o2 : index
    %om = memref.reinterpret_cast %o to offset: [%oo], sizes: [%qn, 128], strides: [%os, 1] : memref<f16> to memref<?x128xf16, strided<[?, 1], offset: ?>>
    wg.copy_out %qt, %om rows %qn : !wg.smem<128x128xf16>, memref<?x128xf16, strided<[?, 1], offset: ?>>
    %ls0 = arith.muli %b, %lb : index
    %ls1 = arith.muli %h, %lh : index
    %ls2 = arith.addi %ls0, %ls1 : index
    %lso = arith.addi %ls2, %i0 : index
    %lm = memref.reinterpret_cast %lse to offset: [%lso], sizes: [%qn], strides: [1] : memref<f32> to memref<?xf32, strided<[1], offset: ?>>
    wg.store_rows %ls, %lm rows %qn : !wg.rows<128xf32, warps = 4>, memref<?xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
