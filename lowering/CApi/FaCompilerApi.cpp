// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/GpuTarget.h"
#include "lowering/CApi/Compilation.h"
#include "lowering/Embed/Passes.h"
#include "lowering/Manifest.h"
#include "lowering/Register.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

FailureOr<std::string> mlir::fa::compileFor(ModuleOp module, StringRef chip,
                                            StringRef options) {
  auto refuse = [&](const Twine &why) -> LogicalResult {
    return module.emitError("in the options of the compiler: ") << why;
  };
  FailureOr<CompileOptions> parsed = parseCompileOptions(chip, options, refuse);
  if (failed(parsed))
    return failure();
  return compileToArtifact(module, *parsed);
}

/// Parses and compiles `text`; the messages quote its lines.
static void compileText(StringRef text, StringRef name, StringRef chip,
                        StringRef options, fa_compilation &result) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  mlir::fa::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // the messages quote the text
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  llvm::raw_string_ostream messages(result.messages);
  SourceMgrDiagnosticHandler handler(sources, &context, messages);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return;
  FailureOr<std::string> bytes = mlir::fa::compileFor(*module, chip, options);
  result.ok = succeeded(bytes);
  if (result.ok)
    result.bytes = std::move(*bytes);
}

static StringRef orEmpty(const char *text) { return text ? text : ""; }

//===----------------------------------------------------------------------===//
// The C functions
//===----------------------------------------------------------------------===//

uint32_t fa_compiler_version(void) { return FA_COMPILER_VERSION; }

const char *fa_compiler_producer(void) { return mlir::fa::producer().data(); }

const char *fa_compiler_chips(void) {
  static const std::string chips =
      "cpu, " + std::string(::fa::target::knownGpuTargets());
  return chips.c_str();
}

fa_compilation *fa_compile(const char *text, size_t size, const char *name,
                           const char *chip, const char *options) {
  auto *result = new fa_compilation();
  if (!text && size > 0)
    result->messages = "error: expects MLIR text, got NULL\n";
  else
    compileText({text, size}, name ? name : "<input>", orEmpty(chip),
                orEmpty(options), *result);
  return result;
}

int32_t fa_compilation_ok(const fa_compilation *compilation) {
  return compilation && compilation->ok;
}

const char *fa_compilation_messages(const fa_compilation *compilation) {
  return compilation ? compilation->messages.c_str() : "";
}

const void *fa_compilation_bytes(const fa_compilation *compilation) {
  return fa_compilation_ok(compilation) ? compilation->bytes.c_str() : nullptr;
}

size_t fa_compilation_size(const fa_compilation *compilation) {
  return fa_compilation_ok(compilation) ? compilation->bytes.size() : 0;
}

void fa_compilation_destroy(fa_compilation *compilation) { delete compilation; }
