// The same for the CPU's stages.
// RUN: fa-compile --chip=cpu %examples/attention-gqa-dynamic.mlir -o %t.so
// RUN: fa-compile --chip=cpu %examples/attention-gqa-dynamic.mlir --stage=online | fa-compile --chip=cpu -o %t.online.so
// RUN: cmp %t.so %t.online.so
// RUN: fa-compile --chip=cpu %examples/attention-gqa-dynamic.mlir --stage=outlined | fa-compile --chip=cpu -o %t.outlined.so
// RUN: cmp %t.so %t.outlined.so
// RUN: fa-compile --chip=cpu %examples/attention-gqa-dynamic.mlir --stage=packed | fa-compile --chip=cpu -o %t.packed.so
// RUN: cmp %t.so %t.packed.so
// RUN: fa-compile --chip=cpu %examples/attention-gqa-dynamic.mlir --stage=vectors | fa-compile --chip=cpu -o %t.vectors.so
// RUN: cmp %t.so %t.vectors.so
// RUN: fa-compile --chip=cpu %examples/attention-gqa-dynamic.mlir --stage=llvm | fa-compile --chip=cpu -o %t.llvm.so
// RUN: cmp %t.so %t.llvm.so
