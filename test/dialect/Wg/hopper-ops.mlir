// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every op that sm_90a adds, read, printed and read again. hopper/ has them in
// their kernel.
// RUN: fa-opt %s | fa-opt | FileCheck %s

!ring = !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
!mail = !wg.ring<2 x 1x4xi32, consumers = 2>
!tile = !wg.smem<128x128xf16, sw128>
!acc = !wg.frag<64x128xf32, acc, warps = 4>
!a = !wg.frag<64x128xf16, a, warps = 4>
!pend = !wg.pending<64x128xf32, acc, warps = 4>

// CHECK-LABEL: func.func @registers
func.func @registers(%s: !acc, %parts: !wg.rows<64xf32, warps = 4, partial = maximumf>, %limit: !wg.rows<64xf32, warps = 4>) -> i1 {
  // CHECK: wg.slice %{{.*}} at 32 : !wg.frag<64x128xf32, acc, warps = 4> -> !wg.frag<64x96xf32, acc, warps = 4>
  %b = wg.slice %s at 32 : !acc -> !wg.frag<64x96xf32, acc, warps = 4>
  %x = wg.slice %s at 0 : !acc -> !wg.frag<64x32xf32, acc, warps = 4>
  // CHECK: wg.concat %{{.*}}, %{{.*}} : !wg.frag<64x32xf32, acc, warps = 4>, !wg.frag<64x96xf32, acc, warps = 4> -> !wg.frag<64x128xf32, acc, warps = 4>
  %c = wg.concat %x, %b : !wg.frag<64x32xf32, acc, warps = 4>, !wg.frag<64x96xf32, acc, warps = 4> -> !acc
  // CHECK: wg.join_rows %{{.*}} : !wg.rows<64xf32, warps = 4, partial = maximumf>
  %m = wg.join_rows %parts : !wg.rows<64xf32, warps = 4, partial = maximumf>
  // CHECK: wg.any(%{{.*}}, %{{.*}} : !wg.rows<64xf32, warps = 4, partial = maximumf>, !wg.rows<64xf32, warps = 4>) {
  %any = wg.any(%parts, %limit : !wg.rows<64xf32, warps = 4, partial = maximumf>, !wg.rows<64xf32, warps = 4>) {
  ^bb0(%p: f32, %l: f32):
    %over = arith.cmpf ogt, %p, %l : f32
    wg.yield %over : i1
  }
  return %any : i1
}

// CHECK-LABEL: func.func @roles
func.func @roles(%map: !wg.tensor_map<128x128xf16, sw128, rank = 4>, %omap: !wg.tensor_map<64x128xf16, sw128, rank = 4>,
                 %counter: memref<i32>, %n: index, %p: !a, %o: !acc, %out: !wg.frag<64x128xf16, acc, warps = 4>) {
  %ring = wg.alloc : !ring
  // CHECK: wg.alloc {barrier_offset = 32 : i64, offset = 0 : i64} : !wg.ring<2 x 1x4xi32, consumers = 2>
  %mail = wg.alloc {offset = 0 : i64, barrier_offset = 32 : i64} : !mail
  %ot = wg.alloc : !wg.smem<64x128xf16, sw128>
  // CHECK: wg.init %{{.*}}, %{{.*}} : !wg.ring<2 x 128x128xf16, sw128, consumers = 2>, !wg.ring<2 x 1x4xi32, consumers = 2>
  wg.init %ring, %mail : !ring, !mail
  // CHECK: wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
  wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
  ^bb0(%w: index):
    // CHECK: wg.cursor : !wg.cursor<2, producer>
    %c = wg.cursor : !wg.cursor<2, producer>
    // CHECK: wg.advance %{{.*}} : !wg.cursor<2, producer>
    %d = wg.advance %c : !wg.cursor<2, producer>
    // CHECK: wg.fetch_tile %{{.*}} of %{{.*}} : memref<i32>
    %t = wg.fetch_tile %counter of %n : memref<i32>
    // CHECK: wg.send %{{.*}}, %{{.*}} to %{{.*}}[%{{.*}}] : !wg.ring<2 x 1x4xi32, consumers = 2>
    wg.send %t, %n to %mail[%c] : !mail
    // CHECK: wg.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}] : !wg.tensor_map<128x128xf16, sw128, rank = 4>, !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    wg.tma_load %map[%n, %n, %n, %n], %ring[%d] : !wg.tensor_map<128x128xf16, sw128, rank = 4>, !ring
  }
  // CHECK: wg.role "consumers" warpgroups 1 to 3 registers 240 ping_pong attributes {turn_id = 1 : i64} {
  wg.role "consumers" warpgroups 1 to 3 registers 240 ping_pong attributes {turn_id = 1 : i64} {
  ^bb0(%w: index):
    %c = wg.cursor : !wg.cursor<2, consumer>
    // CHECK: wg.receive %{{.*}}[%{{.*}}] : !wg.ring<2 x 1x4xi32, consumers = 2> -> index, index
    %m:2 = wg.receive %mail[%c] : !mail -> index, index
    // CHECK: wg.acquire %{{.*}}[%{{.*}}] : !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    %t = wg.acquire %ring[%c] : !ring
    // CHECK: wg.peek %{{.*}}[%{{.*}}] : !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    %same = wg.peek %ring[%c] : !ring
    // CHECK: wg.band %{{.*}}[%{{.*}}] : !wg.smem<128x128xf16, sw128> -> !wg.smem<64x128xf16, sw128, panel = 128>
    %q = wg.band %t[%w] : !tile -> !wg.smem<64x128xf16, sw128, panel = 128>
    // CHECK: wg.zero_rows %{{.*}} from %{{.*}} : !wg.smem<128x128xf16, sw128>
    wg.zero_rows %t from %n : !tile
    // CHECK: wg.fence_async
    wg.fence_async
    // CHECK: wg.barrier {id = 4 : i64}
    wg.barrier {id = 4 : i64}
    // CHECK: wg.turn -> (!wg.pending<64x128xf32, acc, warps = 4>, !wg.pending<64x128xf32, acc, warps = 4>) {
    %s0, %o0 = wg.turn -> (!pend, !pend) {
      // CHECK: wg.mma_async %{{.*}}, %{{.*}} {transpose_b} : !wg.smem<64x128xf16, sw128, panel = 128>, !wg.smem<128x128xf16, sw128> -> !wg.pending<64x128xf32, acc, warps = 4>
      %s1 = wg.mma_async %q, %t {transpose_b} : !wg.smem<64x128xf16, sw128, panel = 128>, !tile -> !pend
      // CHECK: wg.mma_async %{{.*}}, %{{.*}}, %{{.*}} : !wg.frag<64x128xf16, a, warps = 4>, !wg.smem<128x128xf16, sw128>, !wg.frag<64x128xf32, acc, warps = 4> -> !wg.pending<64x128xf32, acc, warps = 4>
      %o1 = wg.mma_async %p, %t, %o : !a, !tile, !acc -> !pend
      wg.yield %s1, %o1 : !pend, !pend
    }
    // CHECK: wg.wait_mma %{{.*}} keep(%{{.*}} : !wg.pending<64x128xf32, acc, warps = 4>) : !wg.pending<64x128xf32, acc, warps = 4>
    %s, %o2 = wg.wait_mma %s0 keep(%o0 : !pend) : !pend
    // CHECK: wg.wait_mma %{{.*}} : !wg.pending<64x128xf32, acc, warps = 4>
    %o3 = wg.wait_mma %o2 : !pend
    // CHECK: wg.release %{{.*}}[%{{.*}}] : !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    wg.release %ring[%c] : !ring
    // CHECK: wg.wait_stores read
    wg.wait_stores read
    wg.barrier
    wg.put %out, %ot : !wg.frag<64x128xf16, acc, warps = 4>, !wg.smem<64x128xf16, sw128>
    wg.fence_async
    wg.barrier
    // CHECK: wg.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : !wg.smem<64x128xf16, sw128>, !wg.tensor_map<64x128xf16, sw128, rank = 4>
    wg.tma_store %ot, %omap[%n, %n, %n, %n] : !wg.smem<64x128xf16, sw128>, !wg.tensor_map<64x128xf16, sw128, rank = 4>
    // CHECK: wg.wait_stores done
    wg.wait_stores done
  }
  return
}

// Products in flight may be carried by a loop and waited for behind it.
// CHECK-LABEL: func.func @carried
func.func @carried(%q: !wg.smem<64x128xf16, sw128>, %k: !tile, %lo: index, %hi: index) -> !acc {
  %front = wg.get %q : !wg.smem<64x128xf16, sw128> -> !wg.frag<64x96xf16, a, warps = 4>
  // CHECK: wg.mma_async %{{.*}} front(%{{.*}} : !wg.frag<64x96xf16, a, warps = 4>), %{{.*}} {transpose_b} :
  %s0 = wg.mma_async %q front(%front : !wg.frag<64x96xf16, a, warps = 4>), %k {transpose_b} : !wg.smem<64x128xf16, sw128>, !tile -> !pend
  %last = scf.for %i = %lo to %hi step %hi iter_args(%before = %s0) -> (!pend) {
    %next = wg.mma_async %q, %k {transpose_b} : !wg.smem<64x128xf16, sw128>, !tile -> !pend
    // CHECK: wg.wait_mma %{{.*}} keep(%{{.*}})
    %s, %still = wg.wait_mma %before keep(%next : !pend) : !pend
    scf.yield %still : !pend
  }
  %r = wg.wait_mma %last : !pend
  return %r : !acc
}
