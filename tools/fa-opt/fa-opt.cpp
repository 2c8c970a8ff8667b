// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-opt with this project's dialects, passes and pipelines beside
// upstream's.
#include "lowering/Register.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::fa::registerEverything(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "fa optimizer driver\n", registry));
}
