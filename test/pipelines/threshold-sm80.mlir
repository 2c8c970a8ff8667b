// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A threshold gives the kernels with mma.sync the rare branches of sm_90a.
// RUN: fa-compile %examples/attention.mlir --chip=sm_80 --stage=addressed --schedule=threshold=8 | FileCheck %s
// RUN: fa-compile %examples/attention.mlir --chip=sm_80 --stage=addressed --schedule=threshold=0 | FileCheck %s --check-prefix=EXACT

// CHECK: scf.for
// CHECK: wg.mma
// The reference moves, and all that follows from it.
// CHECK: wg.any
// CHECK: scf.if
// CHECK: wg.join_rows
// The exponentials.
// CHECK: wg.any
// CHECK: } else {
// CHECK: math.fma
// The accumulator.
// CHECK: scf.if
// CHECK: wg.mma

// EXACT-NOT: wg.any
