// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills @launch of a module with what `fa-embed host=launch_func` makes of a
// manifest: the attribute fa.manifest, the arguments' names from @entry, and
// the kernels from the gpu.binary @kernels. So kernels can be launched that the
// compiler makes for other hosts only.
#include "lowering/Embed/HostCode.h"
#include "lowering/Register.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

int main(int argc, char **argv) {
  DialectRegistry registry;
  fa::registerEverything(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  ScopedDiagnosticHandler print(
      &context, [](Diagnostic &message) { llvm::errs() << message << "\n"; });
  OwningOpRef<ModuleOp> module =
      argc == 2 ? parseSourceFile<ModuleOp>(argv[1], &context) : nullptr;
  if (!module)
    return 1;
  auto entry = module->lookupSymbol<func::FuncOp>("entry");
  if (failed(fa::buildLaunch(
          module->lookupSymbol<func::FuncOp>("launch"), entry,
          module.get()->getAttrOfType<DictionaryAttr>("fa.manifest"),
          module->lookupSymbol<gpu::BinaryOp>("kernels"))))
    return 1;
  entry.erase();
  module.get()->removeAttr("fa.manifest");
  module->print(llvm::outs());
  return 0;
}
