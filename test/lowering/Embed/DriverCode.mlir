// What a host asks the driver for, run on a stand-in: maps that no compiled kernel has, by a hand-made manifest.
// UNSUPPORTED: sanitized
// RUN: %cc -shared -fPIC %S/Inputs/GpuRuntime.c -o %t.gpu.so
// RUN: %cxx -shared -fPIC -I%fa_src %S/Inputs/ShowLaunches.cpp -o %t.show.so
// RUN: fa-launch-host %s >%t.mlir
// RUN: mlir-opt %t.mlir --pass-pipeline='builtin.module(expand-strided-metadata,lower-affine,convert-scf-to-cf, \
// RUN:     gpu-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-to-llvm,reconcile-unrealized-casts)' \
// RUN:   -o %t.llvm.mlir
// RUN: env FA_STANDIN=units=3,param_count=3 mlir-runner %t.llvm.mlir -e main --entry-point-result=void \
// RUN:   --shared-libs=%fa_obj/lib/libfa_standin_cuda.so,%t.gpu.so,%t.show.so | FileCheck %s

// f32 with rows along the first dimension, and two narrower swizzles.
// CHECK:      map 0 type 7 at 0 sizes 40 2 5 strides 800 160 box 32 8 1 element strides 1 1 1 interleave 0 swizzle 3 promotion 3 fill 0
// CHECK-NEXT: map 1 type 7 at 0 sizes 40 5 2 strides 160 800 box 16 8 1 element strides 1 1 1 interleave 0 swizzle 2
// CHECK-NEXT: map 2 type 7 at 0 sizes 40 5 2 strides 160 800 box 8 8 1 element strides 1 1 1 interleave 0 swizzle 1
// Of a tensor without elements any map will do, at any address.
// CHECK-NEXT: map 3 type 7 at 0 sizes 1 1 1 strides 16 16 box 32 8 1
// CHECK:      launch mapped grid 3 block 32 shared 0 params 0 1 2
// CHECK-NEXT: launch mapped grid 3 block 32 shared 0 params 3 4 5
// CHECK-NOT:  launch

// A module that was embedded into before has all that is needed; anything else by such a name is refused.
// RUN: sed 's/^  gpu.binary @kernels/  func.func private @fa_count_units(i32) -> i64\n  gpu.binary @kernels/' %s \
// RUN:   | fa-launch-host - | FileCheck %s --check-prefix=KNOWN
// KNOWN-COUNT-1: func.func private @fa_count_units(
// KNOWN-NOT: func.func private @fa_count_units(
// RUN: sed 's/^  gpu.binary @kernels/  func.func private @cuCtxGetDevice(i64) -> i32\n  gpu.binary @kernels/' %s \
// RUN:   | not fa-launch-host - 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: expects 'cuCtxGetDevice' to be, for host=launch_func, llvm.func of type

!any = memref<2x?x40xf32, strided<[?, ?, 1], offset: ?>>

module attributes {gpu.container_module, fa.manifest = {
  constraints = [],
  kernels = [
    {name = "mapped", when = true, block = 32 : i64, shared_bytes = 0 : i64, scratch = [], grid = ["min", ["units"], 7],
     params = [["tensor_map", "q", 0, 8, 32, 128], ["tensor_map", "q", 1, 8, 16, 64], ["tensor_map", "q", 1, 8, 8, 32]]}
  ]}} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = ".target sm_90a .entry mapped(">]

  func.func private @entry(!any {fa.tensor = #fa.tensor<"q", in, [2, "R", 40]>})
  func.func private @launch(!any)
  func.func private @showLaunches(memref<?xi8>)

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c40 = arith.constant 40 : index
    %c200 = arith.constant 200 : index
    %bytes = memref.alloc() {alignment = 64 : i64} : memref<1600xi8>
    %flat = memref.view %bytes[%c0][] : memref<1600xi8> to memref<400xf32>
    %some = memref.reinterpret_cast %flat to offset: [%c0], sizes: [2, %c5, 40], strides: [%c200, %c40, 1]
      : memref<400xf32> to !any
    %none = memref.reinterpret_cast %flat to offset: [%c1], sizes: [2, %c0, 40], strides: [%c1, %c1, 1]
      : memref<400xf32> to !any
    func.call @launch(%some) : (!any) -> ()
    func.call @launch(%none) : (!any) -> ()
    %all = memref.cast %bytes : memref<1600xi8> to memref<?xi8>
    func.call @showLaunches(%all) : (memref<?xi8>) -> ()
    memref.dealloc %bytes : memref<1600xi8>
    return
  }
}
