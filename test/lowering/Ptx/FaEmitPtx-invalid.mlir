// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-emit-ptx

// expected-error @+1 {{expects the attribute 'fa.target', a chip name}}
gpu.module @no_target {}

// -----

// expected-error @+1 {{expects a chip that LLVM's NVPTX back end knows, got 'sm_1'}}
gpu.module @unknown_chip attributes {fa.target = "sm_1"} {}

// -----

gpu.module @device_library attributes {fa.target = "sm_80"} {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @f(%x: f32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    // expected-error @+1 {{'llvm.call' op calls '__nv_expf', which this module does not define; such PTX does not load}}
    %y = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

gpu.module @pointer attributes {fa.target = "sm_80"} {
  llvm.func @f(%callee: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error @+1 {{'llvm.call' op calls through a pointer, which is not supported in a kernel}}
    llvm.call %callee() : !llvm.ptr, () -> ()
    llvm.return
  }
}

// -----

gpu.module @no_instruction attributes {fa.target = "sm_80"} {
  llvm.func @f(%x: f32, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    // expected-error @+1 {{'llvm.intr.pow' op has no PTX instruction; the maths of regions is expanded before this point}}
    %y = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
