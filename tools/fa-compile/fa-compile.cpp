// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an .mlir file with one fa.attention to an artefact: PTX or a shared
// object, its manifest inside. README.md beside this file has examples.
#include "lowering/Compiler.h"
#include "lowering/KeepKernel.h"
#include "lowering/Register.h"
#include "lowering/Report.h"
#include "lowering/WriteFile.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace cl = llvm::cl;

namespace {
enum class Emit { Artifact, Ptx, Mlir, Llvm };
}

static cl::OptionCategory category("fa-compile options");
static cl::opt<std::string> input(cl::Positional, cl::desc("IN.mlir"),
                                  cl::init("-"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Where the result goes"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static const std::string chips =
    "One of " + fa::chipNames() + "; sm_80 unless given";
static cl::opt<std::string> chip("chip", cl::desc(chips), cl::init("sm_80"),
                                 cl::cat(category));
static cl::opt<std::string> cpu(
    "cpu",
    cl::desc("With --chip=cpu: x86-64-v3 (default), x86-64-v4, native, or a "
             "name that LLVM's -mcpu takes"),
    cl::init("x86-64-v3"), cl::cat(category));
static cl::opt<bool>
    reference("reference",
              cl::desc("With --chip=cpu: the op's definition in float64, to "
                       "check other artefacts against"),
              cl::cat(category));
static cl::opt<std::string>
    entry("entry",
          cl::desc("The entry function, where several hold an attention op"),
          cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    stage("stage",
          cl::desc("Stop after this stage and print the IR; `help` "
                   "lists them"),
          cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    kernel("kernel",
           cl::desc("Of the IR print this kernel alone, for reading and for "
                    "fa-opt: the launch manifest is left out"),
           cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    emit("emit",
         cl::desc("What to write: artifact (PTX or a shared object; unless "
                  "given), ptx (the same, for a GPU), mlir (the IR after the "
                  "last stage) or llvm (LLVM IR)"),
         cl::value_desc("what"), cl::init("artifact"), cl::cat(category));
static cl::list<std::string>
    skip("skip", cl::desc("Optional stages to leave out (masked, pipelined)"),
         cl::value_desc("stages"), cl::CommaSeparated, cl::cat(category));
static cl::opt<int64_t> queryTile("query-tile",
                                  cl::desc("Rows of a query tile"),
                                  cl::cat(category));
static cl::opt<int64_t> keyTile("key-tile", cl::desc("Keys of a key tile"),
                                cl::cat(category));
static cl::opt<int64_t> warps("warps",
                              cl::desc("Warps that share a query tile"),
                              cl::cat(category));
static cl::opt<int64_t> stages("stages",
                               cl::desc("Depth of the ring of K and V tiles"),
                               cl::cat(category));
static cl::opt<std::string> mask("mask", cl::desc("every, guard or split"),
                                 cl::cat(category));
static cl::opt<std::string>
    schedule("schedule",
             cl::desc("Any fields of the schedule, as #fa.schedule has them"),
             cl::value_desc("field = value, ..."), cl::cat(category));

static cl::opt<bool>
    report("report",
           cl::desc("Say on standard error what was chosen and why, what the "
                    "masks skip, and what to expect"),
           cl::cat(category));

/// The options as they are before anything is compiled: linking a shared object
/// runs lld, which sets the process's command line options back.
static fa::CompileOptions readOptions() {
  fa::CompileOptions options;
  options.chip = chip;
  options.cpu = cpu;
  options.reference = reference;
  options.entry = entry;
  options.queryTile = queryTile;
  options.keyTile = keyTile;
  options.warps = warps;
  options.stages = stages;
  options.mask = mask;
  options.schedule = schedule;
  options.skip.assign(skip.begin(), skip.end());
  return options;
}

/// What is asked for; the stage where it is IR, and of that the one kernel.
struct Request {
  Emit what;
  std::string stage, kernel;
};

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Each option that was given says something.
static llvm::Error checkValues() {
  for (const cl::opt<int64_t> *option : {&queryTile, &keyTile, &warps, &stages})
    if (option->getNumOccurrences() && *option < 1)
      return makeError("expects --" + option->ArgStr + " of at least 1, got " +
                       llvm::Twine(option->getValue()));
  for (const cl::opt<std::string> *option :
       {&chip, &cpu, &entry, &stage, &kernel, &emit, &mask, &schedule})
    if (option->getNumOccurrences() && option->empty())
      return makeError("expects a value behind --" + option->ArgStr +
                       ", got none");
  return llvm::Error::success();
}

/// What the options say together, or why they say nothing.
static llvm::Expected<Request> readRequest(const fa::CompileOptions &options) {
  if (llvm::Error wrong = checkValues())
    return wrong;
  auto what = llvm::StringSwitch<std::optional<Emit>>(emit)
                  .Case("artifact", Emit::Artifact)
                  .Case("ptx", Emit::Ptx)
                  .Case("mlir", Emit::Mlir)
                  .Case("llvm", Emit::Llvm)
                  .Default(std::nullopt);
  if (!what)
    return makeError(
        "expects artifact, ptx, mlir or llvm behind --emit, got '" + emit +
        "'");
  bool isCpu = options.chip == "cpu";
  if (what == Emit::Ptx && isCpu)
    return makeError("expects a GPU with --emit=ptx, got --chip=cpu");
  Request request{what == Emit::Ptx ? Emit::Artifact : *what,
                  fa::stageNames(options).back(), kernel};
  if (!stage.empty()) {
    bool isLast = stage == fa::lastStep(options);
    bool fits = !emit.getNumOccurrences() ||
                (isLast ? what == Emit::Artifact || what == Emit::Ptx
                        : what == Emit::Mlir);
    if (!fits)
      return makeError("expects --stage or --emit, got both: stage " + stage +
                       " is " + (isLast ? "the artefact" : "printed as MLIR"));
    request.what = isLast ? Emit::Artifact : Emit::Mlir;
    request.stage = stage;
  }
  if (!kernel.empty() && request.what != Emit::Mlir)
    return makeError(
        "expects --kernel where MLIR is printed: with a --stage in "
        "front of the artefact, or with --emit=mlir");
  return request;
}

/// The text or the bytes that the command line asks for.
static FailureOr<std::string> compile(ModuleOp module,
                                      const fa::CompileOptions &options,
                                      const Request &request) {
  if (request.what == Emit::Artifact)
    return fa::compileToArtifact(module, options);
  if (request.what == Emit::Llvm)
    return fa::compileToLlvm(module, options);
  if (failed(fa::compileToStage(module, options, request.stage)) ||
      (!request.kernel.empty() &&
       failed(fa::keepKernel(module, request.kernel))))
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << module << "\n";
  return text;
}

/// Diagnostics about the whole of the input, which are those about options too,
/// name the file and no line.
static LogicalResult printWithoutLine(Diagnostic &diagnostic) {
  auto loc = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (!loc || loc.getLine() != 0)
    return failure();
  llvm::errs() << loc.getFilename().getValue() << ": "
               << (diagnostic.getSeverity() == DiagnosticSeverity::Error
                       ? "error: "
                       : "remark: ")
               << diagnostic << "\n";
  return success();
}

static int fail(const llvm::Twine &message) {
  llvm::errs() << "fa-compile: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  registerAsmPrinterCLOptions();
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles an attention op to PTX or a shared object\n");
  fa::CompileOptions options = readOptions();
  std::string destination = output;
  bool wantsReport = report;
  if (stage == "help") {
    for (const std::string &name : fa::stageNames(options))
      llvm::outs() << name << "\n";
    llvm::outs() << fa::lastStep(options) << "\n";
    return 0;
  }
  llvm::Expected<Request> request = readRequest(options);
  if (!request)
    return fail(llvm::toString(request.takeError()));
  if (request->what == Emit::Artifact && options.chip == "cpu" &&
      destination == "-" && llvm::sys::Process::StandardOutIsDisplayed())
    return fail("expects -o FILE for a shared object: the terminal shows text");

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &message);
  if (!file)
    return fail(message);
  DialectRegistry registry;
  fa::registerEverything(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  ScopedDiagnosticHandler ofTheWhole(&context, printWithoutLine);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  fa::CompileReport account;
  if (wantsReport && failed(account.readProblem(*module, options)))
    return 1;
  FailureOr<std::string> result = compile(*module, options, *request);
  if (failed(result))
    return 1;
  if (wantsReport) {
    account.readKernels(*module, *result, options);
    llvm::errs() << account.text();
  }
  if (failed(fa::writeFile(destination, *result, message)))
    return fail(message);
  return 0;
}
