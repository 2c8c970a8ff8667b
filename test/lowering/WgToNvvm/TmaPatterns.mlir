// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles through tensor maps: one box for each 64 columns.
// RUN: fa-opt %s --fa-wg-to-nvvm --canonicalize --cse | FileCheck %s
// RUN: fa-opt %s --fa-nvvm-pipeline | FileCheck %s --check-prefix=NVVM

!tile = !wg.smem<64x128xf16, sw128>
!map = !wg.tensor_map<64x128xf16, sw128, rank = 4>
!ring = !wg.ring<2 x 64x128xf16, sw128, consumers = 2>

module attributes {gpu.container_module, fa.stage = "addressed"} {
gpu.module @kernels attributes {fa.target = "sm_90a"} {
  // Parameters by value which stay where they are.
  // NVVM: llvm.func @load(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %{{.*}}: i64)

  // CHECK-LABEL: gpu.func @load(
  // CHECK-SAME: %[[MAP:.*]]: !llvm.ptr {wg.tensor_map}, %[[ROW:.*]]: index
  gpu.func @load(%map: !map, %row: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %r = wg.alloc {offset = 0, barrier_offset = 65536} : !ring
    wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
    ^bb0(%w: index):
      // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
      // CHECK-DAG: %[[COL:.*]] = arith.constant 64 : i32
      // CHECK-DAG: %[[PANEL:.*]] = arith.constant 8192 : i32
      // CHECK-DAG: %[[BYTES:.*]] = arith.constant 16384 : i32
      // CHECK-DAG: %[[R:.*]] = arith.index_cast %[[ROW]] : index to i32
      // CHECK: try_wait
      // CHECK: llvm.inline_asm {{.*}} "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}" %[[FULL:.*]], %[[BYTES]]
      // CHECK: "cp.async.bulk.tensor.4d.shared::cta.global.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3, $4, $5}], [$6];", "r,l,r,r,r,r,r,~{memory}" %[[AT:.*]], %[[MAP]], %[[ZERO]], %[[R]], %[[ZERO]], %[[ZERO]], %[[FULL]]
      // CHECK: %[[AT1:.*]] = arith.addi %[[AT]], %[[PANEL]]
      // CHECK: "cp.async.bulk.tensor.4d{{.*}} %[[AT1]], %[[MAP]], %[[COL]], %[[R]], %[[ZERO]], %[[ZERO]], %[[FULL]]
      // CHECK-NOT: cp.async.bulk.tensor
      %c0 = arith.constant 0 : index
      %c = wg.cursor : !wg.cursor<2, producer>
      wg.tma_load %map[%c0, %c0, %row, %c0], %r[%c] : !map, !ring
    }
    gpu.return
  }

  // In a role of many threads one of each warpgroup does it.
  // CHECK-LABEL: gpu.func @store
  gpu.func @store(%map: !map, %row: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %t = wg.alloc {offset = 0} : !tile
    wg.role "consumers" warpgroups 1 to 3 registers 240 {
    ^bb0(%w: index):
      %c0 = arith.constant 0 : index
      // CHECK: %[[IN:.*]] = arith.remui
      // CHECK: %[[MINE:.*]] = arith.cmpi eq, %[[IN]]
      // CHECK: scf.if %[[MINE]] {
      // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
      wg.wait_stores read
      // CHECK: "fence.proxy.async.shared::cta;", "~{memory}"
      wg.fence_async
      // CHECK: scf.if %[[MINE]] {
      // CHECK-COUNT-2: "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [$1, {$2, $3, $4, $5}], [$0];"
      // CHECK: nvvm.cp.async.bulk.commit.group
      wg.tma_store %t, %map[%c0, %c0, %row, %c0] : !tile, !map
      // CHECK: scf.if %[[MINE]] {
      // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0{{$}}
      wg.wait_stores done
    }
    gpu.return
  }

  // 128 threads zero 16 rows at once, each one chunk of both panels.
  // CHECK-LABEL: gpu.func @zero_rows(
  // CHECK-SAME: %[[N:.*]]: index
  gpu.func @zero_rows(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %t = wg.alloc {offset = 0} : !tile
    wg.role "consumers" warpgroups 1 to 3 registers 240 {
    ^bb0(%w: index):
      // CHECK-COUNT-4: arith.cmpi sge, %{{.*}}, %[[N]] : index
      // CHECK-NOT: arith.cmpi sge, %{{.*}}, %[[N]] : index
      wg.zero_rows %t from %n : !tile
    }
    gpu.return
  }
}
}
