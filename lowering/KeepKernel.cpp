// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/KeepKernel.h"

#include "passes/ManifestBuilder.h"
#include "passes/Stage.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fa;

/// The functions that the manifest names as kernels.
static SmallVector<FunctionOpInterface> kernelsOf(ModuleOp module) {
  SmallVector<StringRef> names;
  replaceKernelEntries(module, [&](NamedAttrList kernel) {
    if (auto name = dyn_cast_or_null<StringAttr>(kernel.get("name")))
      names.push_back(name.getValue());
    return KernelEntries{kernel};
  });
  SmallVector<FunctionOpInterface> kernels;
  module.walk([&](FunctionOpInterface function) {
    if (llvm::is_contained(names, function.getName()))
      kernels.push_back(function);
  });
  return kernels;
}

LogicalResult mlir::fa::keepKernel(ModuleOp module, StringRef name) {
  SmallVector<FunctionOpInterface> kernels = kernelsOf(module);
  auto isKept = [&](FunctionOpInterface kernel) {
    return kernel.getName() == name;
  };
  if (kernels.empty())
    return module.emitError() << "expects a stage with kernels (outlined or a "
                                 "later one) to keep one of, got "
                              << getStage(module);
  if (llvm::none_of(kernels, isKept)) {
    InFlightDiagnostic diag = module.emitError() << "expects a kernel among ";
    llvm::interleaveComma(kernels, diag, [&](FunctionOpInterface kernel) {
      diag << kernel.getName();
    });
    return diag << ", got '" << name << "'";
  }
  for (FunctionOpInterface kernel : kernels)
    if (!isKept(kernel))
      kernel.erase();
  module->removeAttr(kManifestAttr);
  return success();
}
