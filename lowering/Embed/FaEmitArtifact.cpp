// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Embed/CompilingPass.h"
#include "lowering/Embed/Passes.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEMITARTIFACT
#include "lowering/Embed/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {
struct EmitArtifactPass
    : fa::CompilingPass<fa::impl::FaEmitArtifactBase<EmitArtifactPass>> {
  using CompilingPass::CompilingPass;

  fa::CompileOptions read(fa::CompileOptions options) const {
    options.entry = entry;
    options.reference = reference;
    return options;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string file = to; // linking a shared object may set options back
    fa::CompileOptions options = read(readOptionsToRun());
    FailureOr<std::string> artifact = fa::compileToArtifact(module, options);
    if (failed(artifact))
      return signalPassFailure();
    if (file.empty())
      module->setAttr("fa.artifact", StringAttr::get(&getContext(), *artifact));
    else if (failed(write(file, *artifact)))
      signalPassFailure();
  }

  LogicalResult write(StringRef file, StringRef bytes) {
    std::string message;
    auto out = openOutputFile(file, &message);
    if (!out)
      return getOperation().emitError(message);
    out->os() << bytes;
    out->keep();
    return success();
  }
};
} // namespace

FailureOr<fa::CompileOptions> mlir::fa::parseCompileOptions(
    StringRef text, function_ref<LogicalResult(const Twine &)> error) {
  EmitArtifactPass pass;
  if (failed(static_cast<Pass &>(pass).initializeOptions(text, error)))
    return failure();
  return pass.read(pass.readOptions());
}
