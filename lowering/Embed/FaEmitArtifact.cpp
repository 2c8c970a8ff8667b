// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Embed/CompilingPass.h"
#include "lowering/Embed/Passes.h"
#include "lowering/WriteFile.h"

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

  bool writesFile() const { return !to.empty(); }

  /// Takes `told` for the chip, which the options may name too.
  LogicalResult setChip(StringRef told,
                        function_ref<LogicalResult(const Twine &)> error) {
    if (told.empty())
      return success();
    if (chip.hasValue() && chip != told)
      return error("expects one chip, got '" + told + "' and '" +
                   chip.getValue() + "'");
    chip = told.str();
    return success();
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
    if (failed(fa::writeFile(file, bytes, message)))
      return getOperation().emitError(message);
    return success();
  }
};
} // namespace

FailureOr<fa::CompileOptions> mlir::fa::parseCompileOptions(
    StringRef chip, StringRef text,
    function_ref<LogicalResult(const Twine &)> error) {
  EmitArtifactPass pass;
  // What a value's own parser has to say goes to standard error alone.
  auto atOptions = [&](const Twine &why) {
    return error("expects options as fa-emit-artifact takes them, got '" +
                 text + "'" + (why.str().empty() ? "" : ": ") + why);
  };
  if (failed(static_cast<Pass &>(pass).initializeOptions(text, atOptions)) ||
      failed(pass.setChip(chip, error)))
    return failure();
  if (pass.writesFile()) {
    (void)error("expects no option 'to' where the artefact is handed back");
    return failure();
  }
  return pass.read(pass.readOptions());
}
