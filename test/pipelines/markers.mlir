// REQUIRES: cpu-v3
// The markers of `online` are for the reader: without them the PTX is the same.
// An edit of the algorithm is in the result: without the rescaling of the
// accumulator there is one wg.map less, and what comes out is wrong.
// RUN: fa-compile %examples/attention-causal.mlir --stage=online -o %t.online.mlir
// RUN: fa-compile %t.online.mlir -o %t.ptx
// RUN: sed -e 's/attrs = *{fa.step = "[a-z_]*"}//' %t.online.mlir > %t.bare.mlir
// RUN: not grep fa.step %t.bare.mlir
// RUN: fa-compile %t.bare.mlir -o %t.bare.ptx
// RUN: cmp %t.ptx %t.bare.ptx
// RUN: fa-compile %t.online.mlir --stage=values | grep -c "wg.map" > %t.count
// RUN: %python %S/Inputs/drop_rescale.py %t.online.mlir > %t.edited.mlir
// RUN: fa-compile %t.edited.mlir --stage=values | grep -c "wg.map" > %t.edited.count
// RUN: not cmp %t.count %t.edited.count
// RUN: fa-compile %t.edited.mlir -o %t.edited.ptx
// RUN: not cmp %t.ptx %t.edited.ptx
// RUN: fa-compile %t.online.mlir --chip=cpu -o %t.so && fa-run %t.so --warmup 0 --repeat 1 --quiet
// RUN: fa-compile %t.edited.mlir --chip=cpu -o %t.edited.so
// RUN: not fa-run %t.edited.so --warmup 0 --repeat 1 > %t.run
// RUN: FileCheck %s < %t.run
// CHECK: FAIL
