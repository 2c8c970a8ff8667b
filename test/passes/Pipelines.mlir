// The steps to a stage are there for the chips that have it; for others they are refused, not empty.
// RUN: fa-opt %s --fa-to-async=chip=sm_90a --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=HOPPER
// HOPPER: wg-async,
// RUN: not fa-opt %s --fa-to-specialized 2>&1 | FileCheck %s -DSTAGE=specialized -DCHIP=cpu
// RUN: not fa-opt %s --fa-to-async=chip=sm_80 2>&1 | FileCheck %s -DSTAGE=async -DCHIP=sm_80
// RUN: not fa-opt %s --pass-pipeline="builtin.module(fa-to-async{chip=sm_12})" 2>&1 \
// RUN:   | FileCheck %s -DSTAGE=async -DCHIP=sm_12
// CHECK: error: fa-to-[[STAGE]] expects a chip with that stage (sm_90a), got '[[CHIP]]'
