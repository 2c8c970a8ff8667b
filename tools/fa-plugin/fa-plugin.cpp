// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects, passes and pipelines for a tool that is there already: stock
// mlir-opt loads this file twice, as a dialect and as a pass plugin.
#include "lowering/Register.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <mutex>

using namespace mlir;

static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] { fa::registerPasses(); });
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "fa", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) { fa::registerDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "fa", LLVM_VERSION_STRING,
          registerPassesOnce};
}
