// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-emit-ptx=to=%t.ptx | FileCheck %s --check-prefix=BINARY
// RUN: FileCheck %s < %t.ptx
// RUN: fa-opt %s --fa-emit-ptx=to=%t.again.ptx -o /dev/null && cmp %t.ptx %t.again.ptx

// BINARY: gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">, properties = {O = 4 : i32}, assembly = "//
// CHECK: .version 7.0
// CHECK-NEXT: .target sm_80
// CHECK: .visible .entry scale(
// CHECK: .reqntid 128
// CHECK-NOT: .extern .func
gpu.module @kernels attributes {fa.target = "sm_80"} {
  llvm.func @scale(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
    // CHECK: mul.rn.f32
    %a = llvm.load %p : !llvm.ptr<1> -> f32
    %b = llvm.fmul %a, %x : f32
    llvm.store %b, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
