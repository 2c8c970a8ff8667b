// A text at stage problem, which does not say so, given to what begins at a later stage.
// RUN: not fa-opt %s --fa-to-masked 2>&1 | FileCheck %s -DEXPECTED=online
// RUN: not fa-opt %s --fa-to-outlined 2>&1 | FileCheck %s -DEXPECTED="online or masked"
// RUN: not fa-opt %s --fa-to-values 2>&1 | FileCheck %s -DEXPECTED=outlined
// RUN: not fa-opt %s --fa-to-pipelined 2>&1 | FileCheck %s -DEXPECTED="values or pipelined"
// RUN: not fa-opt %s --fa-to-addressed 2>&1 | FileCheck %s -DEXPECTED="values or pipelined"
// RUN: not fa-opt %s --fa-to-addressed=chip=sm_90a 2>&1 | FileCheck %s -DEXPECTED=async
// RUN: not fa-opt %s --fa-to-specialized=chip=sm_90a 2>&1 | FileCheck %s -DEXPECTED="values or pipelined"
// RUN: not fa-opt %s --fa-to-async=chip=sm_90a 2>&1 | FileCheck %s -DEXPECTED=specialized
// RUN: not fa-opt %s --fa-nvvm-pipeline 2>&1 | FileCheck %s -DEXPECTED=addressed
// RUN: not fa-opt %s --fa-to-packed 2>&1 | FileCheck %s -DEXPECTED=outlined
// RUN: not fa-opt %s --fa-to-vectors 2>&1 | FileCheck %s -DEXPECTED=packed
// RUN: not fa-opt %s --fa-to-llvm 2>&1 | FileCheck %s -DEXPECTED="vectors or outlined"
// RUN: not fa-opt %s --wg-threshold 2>&1 | FileCheck %s -DEXPECTED=values
// CHECK-NOT: error:
// CHECK: Stage.mlir:[[#@LINE+7]]:8: error: expects IR at stage [[EXPECTED]], got problem
// CHECK-NOT: note:
//
// Where ops like this one are expected, the pass says what about it is not.
// RUN: not fa-opt %s --fa-to-tiled 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: {{.*}}expects memrefs here (stage buffers), got 'tensor
func.func @f(%q: tensor<1x2x64x64xf16>, %o: tensor<1x2x64x64xf16>) -> tensor<1x2x64x64xf16> {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x64x64xf16>, tensor<1x2x64x64xf16>, tensor<1x2x64x64xf16>)
    outs(%o : tensor<1x2x64x64xf16>)
  return %r : tensor<1x2x64x64xf16>
}
