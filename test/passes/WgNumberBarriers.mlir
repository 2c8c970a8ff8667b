// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-number-barriers | FileCheck %s

module attributes {fa.stage = "async"} {
gpu.module @m {

// Turns and meetings have three numbers each, from 1 on.
// CHECK: wg.role "consumers" {{.*}} ping_pong attributes {turn_id = 1 : i64}
// CHECK: wg.barrier {id = 4 : i64}
// CHECK: wg.barrier {id = 4 : i64}
// The next role's follow.
// CHECK: wg.barrier {id = 7 : i64}
gpu.func @f() kernel attributes {fa.kernel} {
  wg.role "consumers" warpgroups 1 to 4 registers 160 ping_pong {
  ^bb0(%w: index):
    wg.barrier
    wg.barrier
  }
  wg.role "others" warpgroups 4 to 5 registers 24 {
  ^bb0(%w: index):
    wg.barrier
  }
  gpu.return
}

// Outside of roles barrier 0 serves.
// CHECK-LABEL: gpu.func @block
// CHECK: wg.barrier
// CHECK-NOT: id =
gpu.func @block() kernel attributes {fa.kernel} {
  wg.barrier
  gpu.return
}
}
}
