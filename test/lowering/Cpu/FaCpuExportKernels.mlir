// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-cpu-export-kernels | FileCheck %s

// CHECK: module attributes {fa.stage = "llvm"}
module attributes {fa.stage = "vectors"} {
  // CHECK:      llvm.func @kernel(%[[P:.+]]: !llvm.ptr, %[[T:.+]]: i64) attributes {fa.kernel} {
  // CHECK-NEXT:   %[[S0:.+]] = llvm.getelementptr %[[P]][0]
  // CHECK-NEXT:   %[[A0:.+]] = llvm.load %[[S0]] : !llvm.ptr -> !llvm.ptr
  // CHECK-NEXT:   %[[Q:.+]] = llvm.load %[[A0]] : !llvm.ptr -> !llvm.ptr
  // CHECK-NEXT:   %[[S1:.+]] = llvm.getelementptr %[[P]][1]
  // CHECK-NEXT:   %[[A1:.+]] = llvm.load %[[S1]] : !llvm.ptr -> !llvm.ptr
  // CHECK-NEXT:   %[[N:.+]] = llvm.load %[[A1]] : !llvm.ptr -> i64
  // CHECK-NEXT:   %[[S2:.+]] = llvm.getelementptr %[[P]][2]
  // CHECK-NEXT:   %[[A2:.+]] = llvm.load %[[S2]] : !llvm.ptr -> !llvm.ptr
  // CHECK-NEXT:   %[[X:.+]] = llvm.load %[[A2]] : !llvm.ptr -> f32
  // CHECK-NEXT:   llvm.add %[[N]], %[[T]]
  // CHECK:        llvm.store %[[X]], %[[Q]]
  llvm.func @kernel(%q: !llvm.ptr {fa.param = "pointer q"}, %n: i64, %x: f32, %tile: i64) attributes {fa.kernel} {
    %s = llvm.add %n, %tile : i64
    llvm.store %x, %q : f32, !llvm.ptr
    llvm.return
  }
  // CHECK: llvm.func @other(%{{.+}}: f32)
  llvm.func @other(%x: f32) {
    llvm.return
  }
}

// -----

module attributes {fa.stage = "vectors"} {
  // expected-error @+1 {{expects the index of the tile as the last argument of a kernel}}
  llvm.func @no_tile(%x: f32) attributes {fa.kernel} {
    llvm.return
  }
}
