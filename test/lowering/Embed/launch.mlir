// With the host's own GPU runtime: which kernel is launched, on what grid, and nothing where there are no tiles. The
// runtime here is a stand-in that prints what it is asked for.
// RUN: %cc -shared -fPIC %S/Inputs/StandInGpu.c -o %t.so
// RUN: fa-opt %s --fa-embed="chip=sm_80 host=launch_func" | mlir-opt --pass-pipeline='builtin.module( \
// RUN:     expand-strided-metadata,lower-affine,convert-scf-to-cf,gpu-to-llvm,finalize-memref-to-llvm, \
// RUN:     convert-func-to-llvm,convert-to-llvm,reconcile-unrealized-casts)' -o %t.llvm.mlir
// RUN: mlir-runner %t.llvm.mlir -e main --entry-point-result=void --shared-libs=%t.so | FileCheck %s

// CHECK:      load sm_80
// CHECK:      launch fa_attention_wide grid 6 1 1 block 128 1 1 shared 1 params
// CHECK-NEXT: q aligned 1, scale 0.5
// CHECK-NEXT: launch fa_attention grid 6 1 1 block 128 1 1 shared 1 params
// CHECK-NEXT: q aligned 0, scale 0.5
// CHECK-NOT:  launch

!any = memref<?x2x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>

func.func @attend(%q: !any, %k: !any, %v: !any, %o: !any) {
  fa.attention ins(%q, %k, %v : !any, !any, !any) outs(%o : !any) {scale = 0.5 : f32}
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c300 = arith.constant 300 : index
  %bytes = memref.alloc() {alignment = 64 : i64} : memref<100000xi8>
  %flat = memref.view %bytes[%c0][] : memref<100000xi8> to memref<50000xf16>
  // One batch entry, two heads, 300 queries: three tiles of 128 a head.
  %even = memref.reinterpret_cast %flat to offset: [%c0], sizes: [%c1, 2, %c300, 64], strides: [%c0, %c0, %c0, 1]
    : memref<50000xf16> to memref<?x2x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>
  %odd = memref.reinterpret_cast %flat to offset: [%c1], sizes: [%c1, 2, %c300, 64], strides: [%c0, %c0, %c0, 1]
    : memref<50000xf16> to memref<?x2x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>
  %none = memref.reinterpret_cast %flat to offset: [%c0], sizes: [%c0, 2, %c300, 64], strides: [%c0, %c0, %c0, 1]
    : memref<50000xf16> to memref<?x2x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>
  call @attend(%even, %even, %even, %even) : (!any, !any, !any, !any) -> ()
  call @attend(%odd, %even, %even, %even) : (!any, !any, !any, !any) -> ()
  call @attend(%none, %none, %none, %none) : (!any, !any, !any, !any) -> ()
  memref.dealloc %bytes : memref<100000xi8>
  return
}
