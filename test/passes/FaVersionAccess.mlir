// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A second kernel, asked first, that may touch rows 16 bytes at a time where addresses and strides allow.
// RUN: fa-opt %s --fa-version-access -split-input-file | FileCheck %s

// CHECK: kernels = [{
// CHECK-SAME: name = "kernel_wide", note = "",
// CHECK-SAME: when = ["and", ["aligned", "q", 16], ["eq", ["mod", ["stride", "q", 0], 8], 0], ["aligned", "o", 16], ["eq", ["mod", ["stride", "o", 0], 4], 0]]}
// CHECK-SAME: name = "kernel", note = "rows of q, k, v or o are not aligned to 16 bytes
// CHECK-SAME: when = true}]
// CHECK: gpu.func @kernel_wide({{.*}} attributes {fa.access = 16 : i64
// CHECK: gpu.func @kernel(
// CHECK-NOT: fa.access
module attributes {fa.stage = "outlined", fa.manifest = {kernels = [{name = "kernel", note = "", when = true}]}} {
gpu.module @m {
  gpu.func @kernel(%q: memref<f16> {fa.param = #fa.param<pointer "q">},
                   %q0: index {fa.param = #fa.param<stride "q"[0]>},
                   %o: memref<f32> {fa.param = #fa.param<pointer "o">},
                   %o0: index {fa.param = #fa.param<stride "o"[0]>},
                   %bias: memref<f32> {fa.param = #fa.param<pointer "bias">},
                   %bias0: index {fa.param = #fa.param<stride "bias"[0]>}) kernel attributes {fa.kernel} {
    gpu.return
  }
}
}

// -----

// A stride that is known at compile time and odd: no predicate could tell.
// CHECK-NOT: kernel_wide
module attributes {fa.stage = "outlined"} {
gpu.module @m {
  gpu.func @kernel(%q: memref<f16> {fa.param = #fa.param<pointer "q">}) kernel attributes {fa.kernel} {
    %x = memref.reinterpret_cast %q to offset: [0], sizes: [2, 3, 64], strides: [196, 65, 1]
      : memref<f16> to memref<2x3x64xf16, strided<[196, 65, 1]>>
    gpu.return
  }
}
}

// -----

// A version for aligned rows has tiles of its own; the other one is not copied.
// CHECK: kernels = [{name = "f_wide", note = "", when = ["and", ["aligned", "q", 16]
// CHECK-SAME: {name = "f", note = "rows of q, k, v or o are not aligned to 16 bytes
// CHECK: gpu.func @f_wide({{.*}} attributes {fa.access = 16 : i64
// CHECK: gpu.func @f(
// CHECK-NOT: fa.access
// CHECK-NOT: gpu.func
module attributes {fa.stage = "outlined", fa.manifest = {kernels = [{name = "f_wide", note = "", when = true}, {name = "f", note = "", when = true}]}} {
gpu.module @m {
  gpu.func @f_wide(%q: memref<f16> {fa.param = #fa.param<pointer "q">}) kernel attributes {fa.kernel, fa.wide} {
    gpu.return
  }
  gpu.func @f(%q: memref<f16> {fa.param = #fa.param<pointer "q">}) kernel attributes {fa.kernel} {
    gpu.return
  }
}
}

// -----

// Where a static stride is odd, no launch may take it.
// CHECK: kernels = [{name = "f", note = "", when = true}]
// CHECK-NOT: f_wide
module attributes {fa.stage = "outlined", fa.manifest = {kernels = [{name = "f_wide", note = "", when = true}, {name = "f", note = "", when = true}]}} {
gpu.module @m {
  gpu.func @f_wide(%q: memref<f16> {fa.param = #fa.param<pointer "q">}, %n: index) kernel attributes {fa.kernel, fa.wide} {
    %r = memref.reinterpret_cast %q to offset: [0], sizes: [%n, 64], strides: [65, 1] : memref<f16> to memref<?x64xf16, strided<[65, 1]>>
    gpu.return
  }
  gpu.func @f(%q: memref<f16> {fa.param = #fa.param<pointer "q">}, %n: index) kernel attributes {fa.kernel} {
    %r = memref.reinterpret_cast %q to offset: [0], sizes: [%n, 64], strides: [65, 1] : memref<f16> to memref<?x64xf16, strided<[65, 1]>>
    gpu.return
  }
}
}
