// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-outline -split-input-file -verify-diagnostics
// RUN: not fa-opt %s --fa-outline=chip=sm_12 -split-input-file 2>&1 | FileCheck %s
// CHECK: error: expects a chip that is known (cpu, sm_80, sm_86, sm_89, sm_90a), got 'sm_12'

// expected-error @below {{expects one scf.forall at the top of a function, found 0}}
module {
  func.func @no_loop() {
    return
  }
}

// -----

// expected-error @below {{expects every argument to have fa.tensor or fa.name (stage buffers), argument #0 has neither}}
func.func @unnamed(%x: f32) {
  scf.forall (%i) in (4) {
  }
  return
}

// -----

// expected-error @below {{expects a strided memref that #fa.tensor<"q", in, [4, 8]> describes, got 'memref<4xf16>'}}
func.func @other_rank(%q: memref<4xf16> {fa.tensor = #fa.tensor<"q", in, [4, 8]>}) {
  scf.forall (%i) in (4) {
  }
  return
}

// -----

func.func @bounds(%n: index {fa.name = "n"}) {
  %m = arith.muli %n, %n : index
  // expected-error @above {{expects the bounds of the parallel loop to be made of constants, sizes of the entry's tensors and affine.apply}}
  scf.forall (%i) in (%m) {
  }
  return
}

// -----

func.func @step() {
  // expected-error @below {{expects lower bounds of 0, steps of 1 and no results}}
  scf.forall (%i) = (0) to (8) step (2) {
  }
  return
}

// -----

func.func @more_code(%x: memref<f32> {fa.tensor = #fa.tensor<"x", out, []>}, %y: f32 {fa.name = "y"}) {
  // expected-error @below {{expects the parallel loop to be the last op of a function of one block}}
  scf.forall (%i) in (4) {
  }
  memref.store %y, %x[] : memref<f32>
  return
}

// -----

// expected-error @below {{expects IR at stage online or masked or reference, got values}}
module attributes {fa.stage = "values"} {
}

// -----

// expected-error @below {{expects a name of letters, digits and '_' that starts with no digit, got 'a b'}}
func.func @"a b"() {
  scf.forall (%i) in (4) {
  }
  return
}
