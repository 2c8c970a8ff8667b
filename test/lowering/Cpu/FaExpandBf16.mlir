// RUN: fa-opt %s --fa-expand-bf16 | FileCheck %s

// CHECK-LABEL: func @round(
// CHECK-NOT:     arith.truncf
// CHECK:         arith.shrui
func.func @round(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}

// f16 has instructions.
// CHECK-LABEL: func @half(
// CHECK:         arith.truncf
func.func @half(%x: f32) -> f16 {
  %y = arith.truncf %x : f32 to f16
  return %y : f16
}
