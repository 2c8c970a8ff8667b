// RUN: fa-opt %s --fa-expand-math | FileCheck %s

// No math op is left that would become a call; test/unit/ExpandMathTest.cpp has the numbers.

// CHECK-LABEL: func @exp(
// CHECK-NOT:     math.exp
// CHECK:         math.fma
// CHECK:         arith.shli
// CHECK-NOT:     math.exp
// CHECK:         return
func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: func @others(
// CHECK-NOT:     math.{{exp|log|powf|tanh|rsqrt}}
// CHECK:         math.sqrt
// CHECK-NOT:     math.{{exp|log|powf|tanh|rsqrt}}
// CHECK:         return
func.func @others(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32) {
  %a = math.exp2 %x : f32
  %b = math.log %x : f32
  %c = math.log2 %x : f32
  %d = math.powf %x, %y : f32
  %e = math.tanh %x : f32
  %f = math.rsqrt %x : f32
  return %a, %b, %c, %d, %e, %f : f32, f32, f32, f32, f32, f32
}

// Instructions stay.
// CHECK-LABEL: func @instructions(
// CHECK:         math.absf
// CHECK:         math.ceil
// CHECK:         math.copysign
// CHECK:         math.floor
// CHECK:         math.fma
// CHECK:         math.roundeven
// CHECK:         math.sqrt
func.func @instructions(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32) {
  %a = math.absf %x : f32
  %b = math.ceil %x : f32
  %c = math.copysign %x, %y : f32
  %d = math.floor %x : f32
  %e = math.fma %x, %y, %x : f32
  %f = math.roundeven %x : f32
  %g = math.sqrt %x : f32
  return %a, %b, %c, %d, %e, %f, %g : f32, f32, f32, f32, f32, f32, f32
}

// f16 goes by way of f32.
// CHECK-LABEL: func @half(
// CHECK:         arith.extf %{{.+}} : f16 to f32
// CHECK-NOT:     math.tanh
// CHECK:         arith.truncf %{{.+}} : f32 to f16
func.func @half(%x: f16) -> f16 {
  %y = math.tanh %x : f16
  return %y : f16
}
