// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-wg-to-nvvm --canonicalize --cse | FileCheck %s

gpu.module @kernels attributes {fa.target = "sm_80"} {
  // A loop carries a fragment as its registers: 4 for 16 x 8 elements.
  // CHECK-LABEL: gpu.func @loop
  // CHECK: %[[R:.*]]:4 = scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32, f32, f32)
  // CHECK: arith.addf %[[X]], %[[CAPTURED:.*]] : f32
  // CHECK-COUNT-3: arith.addf {{.*}}, %[[CAPTURED]] : f32
  gpu.func @loop(%p: memref<f32>, %n: index, %y: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %f0 = wg.splat %zero : f32 -> !wg.frag<16x8xf32, acc, warps = 1>
    %f = scf.for %i = %c0 to %n step %c1 iter_args(%x = %f0) -> (!wg.frag<16x8xf32, acc, warps = 1>) {
      %g = wg.map(%x : !wg.frag<16x8xf32, acc, warps = 1>) -> !wg.frag<16x8xf32, acc, warps = 1> {
      ^bb0(%e: f32, %r: index, %c: index):
        %s = arith.addf %e, %y : f32
        wg.yield %s : f32
      }
      scf.yield %g : !wg.frag<16x8xf32, acc, warps = 1>
    }
    %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 8], strides: [8, 1] : memref<f32> to memref<?x8xf32, strided<[8, 1]>>
    %mc = memref.cast %m : memref<?x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    wg.store %f, %mc rows %n : !wg.frag<16x8xf32, acc, warps = 1>, memref<?x8xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }

  // Row r of the element is 16 * warp + lane / 4, and 8 more in registers 2 and
  // 3; its column is 2 * (lane % 4), and 1 more in registers 1 and 3.
  // CHECK-LABEL: gpu.func @coordinates
  // CHECK: %[[ROW32:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
  // CHECK: %[[ROW:.*]] = arith.index_castui %[[ROW32]] : i32 to index
  // CHECK: %[[COL32:.*]] = arith.muli %{{.*}}, %c2_i32 : i32
  // CHECK: %[[COL:.*]] = arith.index_castui %[[COL32]] : i32 to index
  // CHECK: arith.cmpi sle, %[[COL]], %[[ROW]] : index
  // CHECK: %[[COL1:.*]] = arith.addi %[[COL]], %c1 : index
  // CHECK: arith.cmpi sle, %[[COL1]], %[[ROW]] : index
  // CHECK: %[[ROW8:.*]] = arith.addi %[[ROW]], %c8 : index
  // CHECK: arith.cmpi sle, %[[COL]], %[[ROW8]] : index
  // CHECK: arith.cmpi sle, %[[COL1]], %[[ROW8]] : index
  gpu.func @coordinates(%p: memref<f32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %f = wg.map() -> !wg.frag<32x8xf32, acc, warps = 2> {
    ^bb0(%r: index, %c: index):
      %kept = arith.cmpi sle, %c, %r : index
      %y = arith.select %kept, %x, %zero : f32
      wg.yield %y : f32
    }
    %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 8], strides: [8, 1] : memref<f32> to memref<?x8xf32, strided<[8, 1]>>
    %mc = memref.cast %m : memref<?x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    wg.store %f, %mc rows %n : !wg.frag<32x8xf32, acc, warps = 2>, memref<?x8xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }

  // The row maximum: a lane's elements, then two exchanges in the quad, then the
  // maximum so far. The sum stays in parts until it is joined.
  // CHECK-LABEL: gpu.func @rows
  // CHECK: %[[M:.*]] = arith.maximumf %[[A:.*]], %[[B:.*]] : f32
  // CHECK: %[[O1:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[M]], %c1_i32, %c31_i32
  // CHECK: %[[M1:.*]] = arith.maximumf %[[M]], %[[O1]]
  // CHECK: %[[O2:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[M1]], %c2_i32, %c31_i32
  // CHECK: %[[M2:.*]] = arith.maximumf %[[M1]], %[[O2]]
  // CHECK: arith.maximumf %[[M2]], %arg2
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // CHECK: %[[L:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK: %[[L1:.*]] = arith.addf %[[L]], %{{.*}} : f32
  // CHECK: %[[O3:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[L1]], %c1_i32, %c31_i32
  gpu.func @rows(%p: memref<f32>, %n: index, %x: f32, %y: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : index
    %f = wg.map() -> !wg.frag<16x8xf32, acc, warps = 1> {
    ^bb0(%r: index, %c: index):
      %odd = arith.cmpi eq, %c, %one : index
      %e = arith.select %odd, %x, %y : f32
      wg.yield %e : f32
    }
    %m0 = wg.splat %x : f32 -> !wg.rows<16xf32, warps = 1>
    %l0 = wg.splat %zero : f32 -> !wg.rows<16xf32, warps = 1, partial = addf>
    %m = wg.reduce_rows maximumf %f, %m0 : !wg.frag<16x8xf32, acc, warps = 1>, !wg.rows<16xf32, warps = 1>
    %l = wg.reduce_rows addf %f, %l0 : !wg.frag<16x8xf32, acc, warps = 1>, !wg.rows<16xf32, warps = 1, partial = addf>
    %lj = wg.join_rows %l : !wg.rows<16xf32, warps = 1, partial = addf>
    %s = wg.map(%m, %lj : !wg.rows<16xf32, warps = 1>, !wg.rows<16xf32, warps = 1>) -> !wg.rows<16xf32, warps = 1> {
    ^bb0(%a: f32, %b: f32, %r: index):
      %c = arith.addf %a, %b : f32
      wg.yield %c : f32
    }
    %mem = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
    %mc = memref.cast %mem : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[?], offset: ?>>
    wg.store_rows %s, %mc rows %n : !wg.rows<16xf32, warps = 1>, memref<?xf32, strided<[?], offset: ?>>
    gpu.return
  }

  // Maxima of bits: integers, with nothing exchanged.
  // CHECK-LABEL: gpu.func @bits
  // CHECK: %[[A:.*]] = arith.bitcast %{{.*}} : f32 to i32
  // CHECK: %[[B:.*]] = arith.bitcast %{{.*}} : f32 to i32
  // CHECK: %[[MOST:.*]] = arith.maxsi %[[A]], %[[B]] : i32
  // CHECK: arith.bitcast %[[MOST]] : i32 to f32
  // CHECK: arith.minui
  // CHECK: arith.maxui
  // CHECK-NOT: shfl
  // CHECK: gpu.return
  gpu.func @bits(%p: memref<f32>, %n: index, %x: f32, %y: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %one = arith.constant 1 : index
    %low = arith.constant 0xFF800000 : f32
    %f = wg.map() -> !wg.frag<16x8xf32, acc, warps = 1> {
    ^bb0(%r: index, %c: index):
      %odd = arith.cmpi eq, %c, %one : index
      %e = arith.select %odd, %x, %y : f32
      wg.yield %e : f32
    }
    %m0 = wg.splat %low : f32 -> !wg.rows<16xf32, warps = 1, partial = maximumf>
    %most = wg.reduce_rows maximum_bits %f, %m0 : !wg.frag<16x8xf32, acc, warps = 1>, !wg.rows<16xf32, warps = 1, partial = maximumf>
    %least = wg.reduce_rows minimum_bits %f, %m0 : !wg.frag<16x8xf32, acc, warps = 1>, !wg.rows<16xf32, warps = 1, partial = maximumf>
    %lowest = wg.reduce_rows largest_bits %f, %m0 : !wg.frag<16x8xf32, acc, warps = 1>, !wg.rows<16xf32, warps = 1, partial = maximumf>
    %any = wg.any(%most, %least, %lowest : !wg.rows<16xf32, warps = 1, partial = maximumf>, !wg.rows<16xf32, warps = 1, partial = maximumf>, !wg.rows<16xf32, warps = 1, partial = maximumf>) {
    ^bb0(%a: f32, %b: f32, %d: f32):
      %sum = arith.addf %b, %d : f32
      %c = arith.cmpf ogt, %a, %sum : f32
      wg.yield %c : i1
    }
    scf.if %any {
      memref.store %x, %p[] : memref<f32>
    }
    gpu.return
  }

  // Two f32 values become one register of two f16 in one step, and the
  // accumulator's registers are those of the next product's A operand.
  // CHECK-LABEL: gpu.func @pack
  // CHECK: %[[WIDE:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK: %[[PAIR:.*]] = arith.truncf %[[WIDE]] : vector<2xf32> to vector<2xf16>
  // CHECK-NOT: arith.truncf {{.*}} : f32 to f16
  // CHECK: nvvm.mma.sync A[{{.*}}] B[
  gpu.func @pack(%p: memref<f32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %f = wg.map() -> !wg.frag<16x16xf16, acc, warps = 1> {
    ^bb0(%r: index, %c: index):
      %i = arith.index_cast %c : index to i32
      %e = arith.sitofp %i : i32 to f32
      %h = arith.truncf %e : f32 to f16
      wg.yield %h : f16
    }
    %a = wg.relayout %f : !wg.frag<16x16xf16, acc, warps = 1> -> !wg.frag<16x16xf16, a, warps = 1>
    %v = wg.alloc {offset = 0} : !wg.smem<16x8xf16>
    %c0 = wg.splat %zero : f32 -> !wg.frag<16x8xf32, acc, warps = 1>
    %d = wg.mma %a, %v, %c0 : !wg.frag<16x16xf16, a, warps = 1>, !wg.smem<16x8xf16>, !wg.frag<16x8xf32, acc, warps = 1>
    %m = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 8], strides: [8, 1] : memref<f32> to memref<?x8xf32, strided<[8, 1]>>
    %mc = memref.cast %m : memref<?x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    wg.store %d, %mc rows %n : !wg.frag<16x8xf32, acc, warps = 1>, memref<?x8xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }
}
