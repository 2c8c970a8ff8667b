// RUN: fa-opt %s --fa-expand-bf16 | FileCheck %s

// The select is of the whole bits, between two values that are no constants: LLVM leaves it where it stands.
// CHECK-LABEL: func @round(
// CHECK-SAME:      %[[X:.*]]: f32)
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]]
// CHECK:         %[[QUIET:.*]] = arith.ori %[[BITS]]
// CHECK:         arith.select %{{.*}}, %[[QUIET]], %{{.*}} : i32
// CHECK-NOT:     arith.truncf
func.func @round(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}

// CHECK-LABEL: func @vectors(
// CHECK:         arith.select %{{.*}} : vector<16xi1>, vector<16xi32>
// CHECK-NOT:     arith.truncf
// CHECK-NOT:     arith.extf
func.func @vectors(%x: vector<16xf32>) -> vector<16xf32> {
  %y = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  %z = arith.extf %y : vector<16xbf16> to vector<16xf32>
  return %z : vector<16xf32>
}

// f16 has instructions.
// CHECK-LABEL: func @half(
// CHECK:         arith.truncf
func.func @half(%x: f32) -> f16 {
  %y = arith.truncf %x : f32 to f16
  return %y : f16
}
