// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A language server for .mlir files that use this project's dialects.
#include "lowering/Register.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::fa::registerEverything(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
