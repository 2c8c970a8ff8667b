# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The plugin as lowering/Embed/README.md shows it; fa-plugin.test runs this in a folder with attention.mlir.
PREFIX=$1
mlir-opt-22() { mlir-opt "$@"; }
# embed: begin plugin
mlir-opt-22 attention.mlir --load-dialect-plugin=$PREFIX/lib/fa-plugin.so --load-pass-plugin=$PREFIX/lib/fa-plugin.so \
  --pass-pipeline='builtin.module(fa-emit-artifact{chip=sm_80 to=attention.ptx})' -o attention.nvvm.mlir
# embed: end plugin
