// What a host asks the driver for, run on a stand-in: maps that no compiled kernel has, by a hand-made manifest.
// mlir-runner has not got the sanitizer's run-time library that a sanitized libfa_standin_cuda wants.
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

// What the host has by these names is taken where it does: a function with a body, a declaration of the driver's.
// DEFINE: %{symbol} =
// DEFINE: %{with} = sed 's/^  gpu.binary @kernels/  %{symbol}\n&/' %s | fa-launch-host -
// DEFINE: %{refused} = sed 's/^  gpu.binary @kernels/  %{symbol}\n&/' %s | not fa-launch-host - 2>&1
// REDEFINE: %{symbol} = func.func private @fa_count_units(%d: i32) -> i64 { %c = arith.constant 7 : i64 return %c : i64 }
// RUN: %{with} | FileCheck %s --check-prefix=KNOWN
// KNOWN: func.func private @fa_count_units(
// KNOWN-NEXT: arith.constant 7
// KNOWN-NOT: func.func private @fa_count_units(
// REDEFINE: %{symbol} = func.func private @fa_count_units(i32) -> i64
// RUN: %{refused} | FileCheck %s --check-prefix=BODY
// BODY: expects 'fa_count_units' to be, for host=launch_func, func.func of type '(i32) -> i64' with a body, got func.func of type '(i32) -> i64' without a body
// REDEFINE: %{symbol} = llvm.func @cuCtxGetDevice(i64) -> i32
// RUN: %{refused} | FileCheck %s --check-prefix=TYPE
// TYPE: expects 'cuCtxGetDevice' to be, for host=launch_func, llvm.func of type '!llvm.func<i32 (ptr)>' without a body, got llvm.func of type '!llvm.func<i32 (i64)>'
// REDEFINE: %{symbol} = llvm.mlir.global internal constant @fa_element_strides(dense<2> : tensor<5xi32>) : !llvm.array<5 x i32>
// RUN: %{refused} | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: expects 'fa_element_strides' to be, for host=launch_func, {{.*}}dense<1>{{.*}}, got {{.*}}dense<2>

// Each call of the driver that fails ends the program; the seventh pop is the launch's own.
// DEFINE: %{fact} =
// DEFINE: %{failing} = env FA_STANDIN=units=3,param_count=3,%{fact} stdbuf -oL not --crash mlir-runner %t.llvm.mlir \
// DEFINE:   -e main --entry-point-result=void \
// DEFINE:   --shared-libs=%fa_obj/lib/libfa_standin_cuda.so,%t.gpu.so,%t.show.so 2>&1 | FileCheck %s --check-prefix
// REDEFINE: %{fact} = fail_cuCtxGetCurrent=1:1
// RUN: %{failing}=CURRENT
// CURRENT: fa.attention: cuCtxGetCurrent fails
// REDEFINE: %{fact} = fail_cuDevicePrimaryCtxGetState=1:1
// RUN: %{failing}=STATE
// STATE: fa.attention: cuDevicePrimaryCtxGetState fails
// REDEFINE: %{fact} = fail_cuDevicePrimaryCtxRetain=2:1
// RUN: %{failing}=RETAIN
// RETAIN: fa.attention: cuDevicePrimaryCtxRetain fails
// REDEFINE: %{fact} = fail_cuCtxPopCurrent_v2=7:1
// RUN: %{failing}=POP
// POP: fa.attention: cuCtxPopCurrent fails
// REDEFINE: %{fact} = fail_cuDevicePrimaryCtxRelease_v2=1:1
// RUN: %{failing}=RELEASE
// RELEASE: fa.attention: cuDevicePrimaryCtxRelease fails

// No launch predicate asks for the driver's knowledge.
// RUN: sed 's/when = true/when = ["lt", ["units"], 7]/' %s | not fa-launch-host - 2>&1 | FileCheck %s --check-prefix=WHEN
// WHEN: expects, for host=launch_func, launch predicates without ["units"], got ["lt", ["units"], 7] of kernel mapped

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
