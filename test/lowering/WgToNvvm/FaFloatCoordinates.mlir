// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-float-coordinates --canonicalize --cse | FileCheck %s

gpu.module @kernels {
  // Four elements j0 + col + {0, 1, 8, 9} - i0: one conversion, and one
  // multiply-add each for the slope and for the scale.
  // CHECK-LABEL: gpu.func @alibi
  // CHECK-SAME: %[[I0:[a-z0-9]+]]: index, %[[J0:[a-z0-9]+]]: index, %[[SLOPE:[a-z0-9]+]]: f32, %[[SCALE:[a-z0-9]+]]: f32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[NINE:.*]] = arith.constant 9.000000e+00 : f32
  // CHECK-COUNT-1: arith.sitofp
  // CHECK-NOT: arith.sitofp
  // CHECK: %[[BASE:.*]] = arith.mulf %[[SLOPE]], %{{.*}}
  // CHECK: %[[T1:.*]] = math.fma %[[SLOPE]], %[[ONE]], %[[BASE]]
  // CHECK: math.fma %{{.*}}, %[[SCALE]], %[[T1]]
  // CHECK: %[[T9:.*]] = math.fma %[[SLOPE]], %[[NINE]], %[[BASE]]
  // CHECK: math.fma %{{.*}}, %[[SCALE]], %[[T9]]
  // CHECK-NOT: arith.sitofp
  // CHECK: gpu.return
  gpu.func @alibi(%i0: index, %j0: index, %slope: f32, %scale: f32, %p: memref<4xf32>) kernel {
    %i4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pair = arith.remui %tid, %i4 : i32
    %col = arith.index_castui %pair : i32 to index
    %x0 = memref.load %p[%c0] : memref<4xf32>
    %x1 = memref.load %p[%c1] : memref<4xf32>
    %x2 = memref.load %p[%c2] : memref<4xf32>
    %x3 = memref.load %p[%c3] : memref<4xf32>

    %j = arith.addi %j0, %col : index
    %d0 = arith.subi %j, %i0 : index
    %w0 = arith.index_cast %d0 : index to i64
    %f0 = arith.sitofp %w0 : i64 to f32
    %m0 = arith.mulf %slope, %f0 : f32
    %s0 = arith.mulf %x0, %scale : f32
    %t0 = arith.addf %s0, %m0 : f32
    memref.store %t0, %p[%c0] : memref<4xf32>

    %j1 = arith.addi %j, %c1 : index
    %d1 = arith.subi %j1, %i0 : index
    %w1 = arith.index_cast %d1 : index to i64
    %f1 = arith.sitofp %w1 : i64 to f32
    %m1 = arith.mulf %slope, %f1 : f32
    %s1 = arith.mulf %x1, %scale : f32
    %t1 = arith.addf %s1, %m1 : f32
    memref.store %t1, %p[%c1] : memref<4xf32>

    %j8 = arith.addi %j, %c8 : index
    %d8 = arith.subi %j8, %i0 : index
    %w8 = arith.index_cast %d8 : index to i64
    %f8 = arith.sitofp %w8 : i64 to f32
    %m8 = arith.mulf %slope, %f8 : f32
    %s8 = arith.mulf %x2, %scale : f32
    %t8 = arith.addf %s8, %m8 : f32
    memref.store %t8, %p[%c2] : memref<4xf32>

    %j9 = arith.addi %j, %c9 : index
    %d9 = arith.subi %j9, %i0 : index
    %w9 = arith.index_cast %d9 : index to i64
    %f9 = arith.sitofp %w9 : i64 to f32
    %m9 = arith.mulf %slope, %f9 : f32
    %s9 = arith.mulf %x3, %scale : f32
    %t9 = arith.addf %s9, %m9 : f32
    memref.store %t9, %p[%c3] : memref<4xf32>
    gpu.return
  }

  // Multiply-adds of two rows, as exponents have them: a base for each row, and a
  // multiply-add with a constant for each element.
  // CHECK-LABEL: gpu.func @multiply_adds
  // CHECK-SAME: %[[SLOPE:[a-z0-9]+]]: f32, %[[REST0:[a-z0-9]+]]: f32, %[[REST1:[a-z0-9]+]]: f32
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK-DAG: %[[THREE:.*]] = arith.constant 3.000000e+00 : f32
  // CHECK: %[[COL:.*]] = arith.sitofp
  // CHECK-DAG: %[[BASE0:.*]] = math.fma %[[SLOPE]], %[[COL]], %[[REST0]]
  // CHECK-DAG: %[[BASE1:.*]] = math.fma %[[SLOPE]], %[[COL]], %[[REST1]]
  // CHECK: math.fma %[[SLOPE]], %[[TWO]], %[[BASE0]]
  // CHECK: math.fma %[[SLOPE]], %[[THREE]], %[[BASE1]]
  // CHECK-NOT: arith.sitofp
  // CHECK: gpu.return
  gpu.func @multiply_adds(%slope: f32, %rest0: f32, %rest1: f32, %p: memref<4xf32>) kernel {
    %i4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pair = arith.remui %tid, %i4 : i32
    %col = arith.index_castui %pair : i32 to index
    %w0 = arith.index_cast %col : index to i64
    %f0 = arith.sitofp %w0 : i64 to f32
    %t0 = math.fma %f0, %slope, %rest0 : f32
    memref.store %t0, %p[%c0] : memref<4xf32>
    %u0 = math.fma %f0, %slope, %rest1 : f32
    memref.store %u0, %p[%c0] : memref<4xf32>
    %j1 = arith.addi %col, %c1 : index
    %w1 = arith.index_cast %j1 : index to i64
    %f1 = arith.sitofp %w1 : i64 to f32
    %t1 = math.fma %f1, %slope, %rest0 : f32
    memref.store %t1, %p[%c1] : memref<4xf32>
    %u1 = math.fma %f1, %slope, %rest1 : f32
    memref.store %u1, %p[%c1] : memref<4xf32>
    %j2 = arith.addi %col, %c2 : index
    %w2 = arith.index_cast %j2 : index to i64
    %f2 = arith.sitofp %w2 : i64 to f32
    %t2 = math.fma %f2, %slope, %rest0 : f32
    memref.store %t2, %p[%c2] : memref<4xf32>
    %u2 = math.fma %f2, %slope, %rest1 : f32
    memref.store %u2, %p[%c2] : memref<4xf32>
    %j3 = arith.addi %col, %c3 : index
    %w3 = arith.index_cast %j3 : index to i64
    %f3 = arith.sitofp %w3 : i64 to f32
    %t3 = math.fma %f3, %slope, %rest0 : f32
    memref.store %t3, %p[%c3] : memref<4xf32>
    %u3 = math.fma %f3, %slope, %rest1 : f32
    memref.store %u3, %p[%c3] : memref<4xf32>
    gpu.return
  }

  // Two products of a coordinate that are summed: each has a base, and neither
  // joins the sum of the other, which would take a product away that is still to
  // be rewritten.
  // CHECK-LABEL: gpu.func @two_products
  // CHECK-SAME: %[[SLOPE:[a-z0-9]+]]: f32, %[[HALF:[a-z0-9]+]]: f32
  // CHECK-COUNT-1: arith.sitofp
  // CHECK-NOT: arith.sitofp
  // CHECK-DAG: %[[BASE:.*]] = arith.mulf %[[SLOPE]], %{{.*}}
  // CHECK-DAG: %[[HALFBASE:.*]] = arith.mulf %[[HALF]], %{{.*}}
  // CHECK-DAG: %[[T0:.*]] = math.fma %[[SLOPE]], %{{.*}}, %[[BASE]]
  // CHECK-DAG: %[[H0:.*]] = math.fma %[[HALF]], %{{.*}}, %[[HALFBASE]]
  // CHECK: arith.addf %[[T0]], %[[H0]]
  // CHECK-COUNT-3: arith.addf
  // CHECK: gpu.return
  gpu.func @two_products(%slope: f32, %half: f32, %p: memref<4xf32>) kernel {
    %i4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pair = arith.remui %tid, %i4 : i32
    %j0 = arith.index_castui %pair : i32 to index
    %j1 = arith.addi %j0, %c1 : index
    %j2 = arith.addi %j0, %c2 : index
    %j3 = arith.addi %j0, %c3 : index
    %w0 = arith.index_cast %j0 : index to i64
    %f0 = arith.sitofp %w0 : i64 to f32
    %w1 = arith.index_cast %j1 : index to i64
    %f1 = arith.sitofp %w1 : i64 to f32
    %w2 = arith.index_cast %j2 : index to i64
    %f2 = arith.sitofp %w2 : i64 to f32
    %w3 = arith.index_cast %j3 : index to i64
    %f3 = arith.sitofp %w3 : i64 to f32
    %a0 = arith.mulf %slope, %f0 : f32
    %b0 = arith.mulf %half, %f0 : f32
    %t0 = arith.addf %a0, %b0 : f32
    memref.store %t0, %p[%c0] : memref<4xf32>
    %a1 = arith.mulf %slope, %f1 : f32
    %b1 = arith.mulf %half, %f1 : f32
    %t1 = arith.addf %a1, %b1 : f32
    memref.store %t1, %p[%c1] : memref<4xf32>
    %a2 = arith.mulf %slope, %f2 : f32
    %b2 = arith.mulf %half, %f2 : f32
    %t2 = arith.addf %a2, %b2 : f32
    memref.store %t2, %p[%c2] : memref<4xf32>
    %a3 = arith.mulf %slope, %f3 : f32
    %b3 = arith.mulf %half, %f3 : f32
    %t3 = arith.addf %a3, %b3 : f32
    memref.store %t3, %p[%c3] : memref<4xf32>
    gpu.return
  }

  // A factor that only a branch knows: conversions move there. Where a product
  // is added to another multiply-add, as scores have it, the base is what that
  // one adds, in the place of the row's number.
  // CHECK-LABEL: gpu.func @branch
  // CHECK-SAME: %[[REST:[a-z0-9]+]]: f32, %[[SCALE:[a-z0-9]+]]: f32
  // CHECK-NOT: arith.sitofp
  // CHECK: scf.if
  // CHECK: %[[SLOPE:.*]] = memref.load
  // CHECK: %[[COL:.*]] = arith.sitofp
  // CHECK-NOT: arith.sitofp
  // CHECK: %[[BASE:.*]] = math.fma %[[SLOPE]], %[[COL]], %[[REST]]
  // CHECK-COUNT-4: math.fma %{{.*}}, %[[SCALE]], %[[BASE]]
  // CHECK: gpu.return
  gpu.func @branch(%rest: f32, %scale: f32, %takes: i1, %x: vector<4xf32>, %p: memref<4xf32>) kernel {
    %i4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pair = arith.remui %tid, %i4 : i32
    %j0 = arith.index_castui %pair : i32 to index
    %j1 = arith.addi %j0, %c1 : index
    %j2 = arith.addi %j0, %c2 : index
    %j3 = arith.addi %j0, %c3 : index
    %w0 = arith.index_cast %j0 : index to i64
    %f0 = arith.sitofp %w0 : i64 to f32
    %w1 = arith.index_cast %j1 : index to i64
    %f1 = arith.sitofp %w1 : i64 to f32
    %w2 = arith.index_cast %j2 : index to i64
    %f2 = arith.sitofp %w2 : i64 to f32
    %w3 = arith.index_cast %j3 : index to i64
    %f3 = arith.sitofp %w3 : i64 to f32
    scf.if %takes {
      %slope = memref.load %p[%c0] : memref<4xf32>
      %x0 = vector.extract %x[0] : f32 from vector<4xf32>
      %n0 = math.fma %x0, %scale, %rest : f32
      %t0 = math.fma %f0, %slope, %n0 : f32
      memref.store %t0, %p[%c0] : memref<4xf32>
      %x1 = vector.extract %x[1] : f32 from vector<4xf32>
      %n1 = math.fma %x1, %scale, %rest : f32
      %t1 = math.fma %f1, %slope, %n1 : f32
      memref.store %t1, %p[%c1] : memref<4xf32>
      %x2 = vector.extract %x[2] : f32 from vector<4xf32>
      %n2 = math.fma %x2, %scale, %rest : f32
      %t2 = math.fma %f2, %slope, %n2 : f32
      memref.store %t2, %p[%c2] : memref<4xf32>
      %x3 = vector.extract %x[3] : f32 from vector<4xf32>
      %n3 = math.fma %x3, %scale, %rest : f32
      %t3 = math.fma %f3, %slope, %n3 : f32
      memref.store %t3, %p[%c3] : memref<4xf32>
    }
    gpu.return
  }

  // What is added, not multiplied, is a coordinate as it is.
  // CHECK-LABEL: gpu.func @addends
  // CHECK: %[[HIGH:.*]] = arith.sitofp
  // CHECK: %[[F0:.*]] = arith.addf %[[HIGH]], %{{.*}}
  // CHECK: math.fma %{{.*}}, %{{.*}}, %[[F0]]
  gpu.func @addends(%x: f32, %slope: f32, %p: memref<4xf32>) kernel {
    %i4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pair = arith.remui %tid, %i4 : i32
    %col = arith.index_castui %pair : i32 to index
    %w0 = arith.index_cast %col : index to i64
    %f0 = arith.sitofp %w0 : i64 to f32
    %t0 = math.fma %x, %slope, %f0 : f32
    memref.store %t0, %p[%c0] : memref<4xf32>
    %j1 = arith.addi %col, %c1 : index
    %w1 = arith.index_cast %j1 : index to i64
    %f1 = arith.sitofp %w1 : i64 to f32
    %t1 = math.fma %x, %slope, %f1 : f32
    memref.store %t1, %p[%c1] : memref<4xf32>
    %j2 = arith.addi %col, %c2 : index
    %w2 = arith.index_cast %j2 : index to i64
    %f2 = arith.sitofp %w2 : i64 to f32
    %t2 = math.fma %x, %slope, %f2 : f32
    memref.store %t2, %p[%c2] : memref<4xf32>
    %j3 = arith.addi %col, %c3 : index
    %w3 = arith.index_cast %j3 : index to i64
    %f3 = arith.sitofp %w3 : i64 to f32
    %t3 = math.fma %x, %slope, %f3 : f32
    memref.store %t3, %p[%c3] : memref<4xf32>
    gpu.return
  }

  // Coordinates as they are: two conversions, of the base's multiple of 4096 and
  // of the rest, to which the constants are added exactly.
  // CHECK-LABEL: gpu.func @plain
  // CHECK: %[[MULTIPLE:.*]] = arith.andi %[[BASE:.*]], %c-4096
  // CHECK: %[[HIGH:.*]] = arith.sitofp
  // CHECK: arith.subi %[[BASE]], %[[MULTIPLE]]
  // CHECK: %[[LOW:.*]] = arith.sitofp
  // CHECK-COUNT-4: arith.addf %[[HIGH]], %{{.*}}
  // CHECK-NOT: arith.sitofp
  // CHECK: gpu.return
  gpu.func @plain(%j0: index, %p: memref<4xf32>) kernel {
    %i4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %pair = arith.remui %tid, %i4 : i32
    %col = arith.index_castui %pair : i32 to index
    %j = arith.addi %j0, %col : index
    %w0 = arith.index_cast %j : index to i64
    %f0 = arith.sitofp %w0 : i64 to f32
    memref.store %f0, %p[%c0] : memref<4xf32>
    %j1 = arith.addi %j, %c1 : index
    %w1 = arith.index_cast %j1 : index to i64
    %f1 = arith.sitofp %w1 : i64 to f32
    memref.store %f1, %p[%c1] : memref<4xf32>
    %j2 = arith.addi %j, %c2 : index
    %w2 = arith.index_cast %j2 : index to i64
    %f2 = arith.sitofp %w2 : i64 to f32
    memref.store %f2, %p[%c2] : memref<4xf32>
    %j3 = arith.addi %j, %c3 : index
    %w3 = arith.index_cast %j3 : index to i64
    %f3 = arith.sitofp %w3 : i64 to f32
    memref.store %f3, %p[%c3] : memref<4xf32>
    gpu.return
  }

  // Too few, and nothing of the thread's number in it.
  // CHECK-LABEL: gpu.func @others
  // CHECK-COUNT-2: arith.sitofp
  gpu.func @others(%j0: index, %p: memref<4xf32>) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %w0 = arith.index_cast %j0 : index to i64
    %f0 = arith.sitofp %w0 : i64 to f32
    memref.store %f0, %p[%c1] : memref<4xf32>
    %j1 = arith.addi %j0, %c1 : index
    %w1 = arith.index_cast %j1 : index to i64
    %f1 = arith.sitofp %w1 : i64 to f32
    memref.store %f1, %p[%c2] : memref<4xf32>
    gpu.return
  }
}
