// RUN: fa-opt %s --fa-cpu-lower-copies | FileCheck %s

// CHECK-LABEL: func @strided(
// CHECK-SAME:    %[[FROM:.+]]: memref<{{.*}}>, %[[TO:.+]]: memref<8x16xf16>
// CHECK-NOT:     memref.copy
// CHECK:         linalg.copy ins(%[[FROM]] : {{.*}}) outs(%[[TO]] : memref<8x16xf16>)
func.func @strided(%from: memref<8x16xf16, strided<[?, 1], offset: ?>>, %to: memref<8x16xf16>) {
  memref.copy %from, %to : memref<8x16xf16, strided<[?, 1], offset: ?>> to memref<8x16xf16>
  return
}
