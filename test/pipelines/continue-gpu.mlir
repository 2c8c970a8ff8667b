// Compiling on from the printed text of any stage gives the same bytes as
// compiling in one go.
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir -o %t.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir -o %t.again.ptx
// RUN: cmp %t.ptx %t.again.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=buffers | fa-compile -o %t.buffers.ptx
// RUN: cmp %t.ptx %t.buffers.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=tiled | fa-compile -o %t.tiled.ptx
// RUN: cmp %t.ptx %t.tiled.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=online | fa-compile -o %t.online.ptx
// RUN: cmp %t.ptx %t.online.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=masked | fa-compile -o %t.masked.ptx
// RUN: cmp %t.ptx %t.masked.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=outlined | fa-compile -o %t.outlined.ptx
// RUN: cmp %t.ptx %t.outlined.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=values | fa-compile -o %t.values.ptx
// RUN: cmp %t.ptx %t.values.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=pipelined | fa-compile -o %t.pipelined.ptx
// RUN: cmp %t.ptx %t.pipelined.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=addressed | fa-compile -o %t.addressed.ptx
// RUN: cmp %t.ptx %t.addressed.ptx
// RUN: fa-compile %examples/attention-gqa-dynamic.mlir --stage=nvvm | fa-compile -o %t.nvvm.ptx
// RUN: cmp %t.ptx %t.nvvm.ptx
