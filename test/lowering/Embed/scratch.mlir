// The host's side of kernels with scratch memory and launch predicates, run: which kernel is chosen, how its scratch is
// allocated, filled (what is not a whole word is rounded up) and freed, and that no tiles cost nothing. The manifest is
// hand-made: the scratch of compiled kernels is one word.
// RUN: %cc -shared -fPIC %S/Inputs/StandInGpu.c -o %t.so
// RUN: fa-launch-host %s | mlir-opt --pass-pipeline='builtin.module( \
// RUN:     expand-strided-metadata,lower-affine,convert-scf-to-cf,gpu-to-llvm,finalize-memref-to-llvm, \
// RUN:     convert-func-to-llvm,convert-to-llvm,reconcile-unrealized-casts)' -o %t.llvm.mlir
// RUN: mlir-runner %t.llvm.mlir -e main --entry-point-result=void --shared-libs=%t.so | FileCheck %s

// 160 rows: 3 tiles of 64 for each of two heads, 6 counters of 3 bytes are 18, in whole words 20
// CHECK:      allocate 20
// CHECK-NEXT: launch counted grid 6 1 1 block 128 1 1 shared 1 params 3
// CHECK-NEXT: scratch is the memory, of 7070707 and 7070707
// CHECK-NEXT: q aligned 1, scale 0.5
// CHECK-NEXT: free it
// Few rows go to another kernel, by the second predicate; another alignment to the last one.
// CHECK-NEXT: launch short grid 2 1 1 block 64 1 1 shared 0 params 2
// CHECK-NEXT: q aligned 1, scale 0.5
// CHECK-NEXT: launch plain grid 320 1 1 block 32 1 1 shared 0 params 2
// CHECK-NEXT: q aligned 0, scale 0.5
// No rows: nothing is allocated, nothing launched.
// CHECK-NOT: {{allocate|launch}}

// Nothing of it is the driver's to say, whatever a tensor is called.
// RUN: sed 's/"q"/"units"/g' %s | fa-launch-host - | FileCheck %s --check-prefix=NAMED
// NAMED-NOT: @fa_enter_device
// NAMED: gpu.launch_func @kernels::@plain
// NAMED-NOT: @fa_enter_device

!any = memref<2x?xf16, strided<[?, 1], offset: ?>>

module attributes {gpu.container_module, fa.manifest = {
  constraints = [{expr = ["ge", ["size", "q", 1], 0], text = "rows"}],
  kernels = [
    {name = "counted", when = ["and", ["aligned", "q", 16], ["gt", ["size", "q", 1], 64]],
     params = [["pointer", "q"], ["scratch", "counter"], ["scalar", "scale"]],
     grid = ["mul", ["ceildiv", ["size", "q", 1], 64], 2], block = 128 : i64, shared_bytes = 1024 : i64,
     scratch = [{name = "counter", bytes = ["mul", 3, ["mul", ["ceildiv", ["size", "q", 1], 64], 2]], init = 7 : i64}]},
    {name = "short", when = ["and", ["aligned", "q", 16], ["not", ["eq", ["mod", ["size", "q", 1], 4], 1]]],
     params = [["pointer", "q"], ["scalar", "scale"]], grid = ["mul", ["ceildiv", ["size", "q", 1], 64], 2],
     block = 64 : i64, shared_bytes = 0 : i64, scratch = []},
    {name = "plain", when = true, params = [["pointer", "q"], ["scalar", "scale"]],
     grid = ["mul", ["size", "q", 1], 2], block = 32 : i64, shared_bytes = 0 : i64, scratch = []}
  ]}} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly =
    ".target sm_80 .entry counted( .entry short( .entry plain(">]

  func.func private @entry(!any {fa.tensor = #fa.tensor<"q", in, ["H", "R"]>}, f32 {fa.name = "scale"})
  func.func private @launch(!any, f32)

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c30 = arith.constant 30 : index
    %c160 = arith.constant 160 : index
    %half = arith.constant 0.5 : f32
    %bytes = memref.alloc() {alignment = 64 : i64} : memref<2000xf16>
    %many = memref.reinterpret_cast %bytes to offset: [%c0], sizes: [2, %c160], strides: [%c160, 1]
      : memref<2000xf16> to !any
    %few = memref.reinterpret_cast %bytes to offset: [%c0], sizes: [2, %c30], strides: [%c160, 1]
      : memref<2000xf16> to !any
    %odd = memref.reinterpret_cast %bytes to offset: [%c1], sizes: [2, %c160], strides: [%c160, 1]
      : memref<2000xf16> to !any
    %none = memref.reinterpret_cast %bytes to offset: [%c0], sizes: [2, %c0], strides: [%c160, 1]
      : memref<2000xf16> to !any
    func.call @launch(%many, %half) : (!any, f32) -> ()
    func.call @launch(%few, %half) : (!any, f32) -> ()
    func.call @launch(%odd, %half) : (!any, f32) -> ()
    func.call @launch(%none, %half) : (!any, f32) -> ()
    memref.dealloc %bytes : memref<2000xf16>
    return
  }
}
