// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Ptx/EmitPtx.h"

#include "dialect/Target/GpuTarget.h"
#include "lowering/Ptx/PtxTable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;

namespace {

constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";

/// Calls of functions without a body would become `.extern .func`.
LogicalResult refuseExternalCalls(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([&](LLVM::CallOp call) {
    auto callee = dyn_cast_or_null<LLVM::LLVMFuncOp>(
        call.getCalleeAttr()
            ? SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr())
            : nullptr);
    if (callee && !callee.isExternal())
      return WalkResult::advance();
    InFlightDiagnostic diag = call.emitOpError();
    if (callee)
      diag << "calls '" << callee.getSymName()
           << "', which this module does not define; such PTX does not load";
    else
      diag << "calls through a pointer, which is not supported in a kernel";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The back end has no instruction for these and would end the process.
LogicalResult refuseMathWithoutInstruction(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa<LLVM::SinOp, LLVM::CosOp, LLVM::TanOp, LLVM::ASinOp, LLVM::ACosOp,
             LLVM::ATanOp, LLVM::ATan2Op, LLVM::SinhOp, LLVM::CoshOp,
             LLVM::TanhOp, LLVM::ExpOp, LLVM::Exp2Op, LLVM::Exp10Op,
             LLVM::LogOp, LLVM::Log2Op, LLVM::Log10Op, LLVM::PowOp,
             LLVM::PowIOp, LLVM::LoadExpOp, LLVM::FRemOp>(op))
      return WalkResult::advance();
    op->emitOpError("has no PTX instruction; the maths of regions is expanded "
                    "before this point");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The PTX version that the module's inline assembly needs, 0 for any.
int neededPtxVersion(gpu::GPUModuleOp module) {
  int version = 0;
  module.walk([&](LLVM::InlineAsmOp op) {
    if (const mlir::fa::ptx::Row *row =
            mlir::fa::ptx::findRow(op.getAsmString()))
      version = std::max(version, row->ptxVersion);
  });
  return version;
}

/// A machine for `chip` that writes the oldest PTX version that has the chip
/// and is not older than `ptxVersion`.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(StringRef chip, int ptxVersion, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple(kTriple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  std::unique_ptr<llvm::MCSubtargetInfo> chips(
      target->createMCSubtargetInfo(triple, /*CPU=*/"", /*Features=*/""));
  if (!chips->isCPUStringValid(chip)) {
    error = "expects a chip that LLVM's NVPTX back end knows, got '" +
            chip.str() + "'";
    return nullptr;
  }
  const ::fa::target::GpuTarget *facts = ::fa::target::findGpuTarget(chip);
  std::string features;
  if (facts && ptxVersion > facts->ptxVersion)
    features = "+ptx" + std::to_string(ptxVersion);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip, features, llvm::TargetOptions(), std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Keeps the optimiser from copying or moving what a whole warp executes
/// together. Neither MLIR's inline assembly nor LLVM's mma intrinsics carry the
/// mark by themselves.
void markConvergentCalls(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallBase>(&inst);
      if (!call)
        continue;
      if (auto *text = dyn_cast<llvm::InlineAsm>(call->getCalledOperand())) {
        const mlir::fa::ptx::Row *row =
            mlir::fa::ptx::findRow(text->getAsmString());
        if (!row || row->convergent)
          call->setConvergent();
      } else if (auto *intrinsic = dyn_cast<llvm::IntrinsicInst>(call)) {
        if (intrinsic->getCalledFunction()->getName().starts_with(
                "llvm.nvvm.mma."))
          call->setConvergent();
      }
    }
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

/// Hands LLVM's errors on to MLIR.
struct DiagnosticForwarder : llvm::DiagnosticHandler {
  explicit DiagnosticForwarder(Location loc) : loc(loc) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    emitError(loc) << "LLVM: " << text;
    failed = true;
    return true;
  }
  Location loc;
  bool failed = false;
};

/// The rest of the first line that starts with `directive`.
std::string directiveValue(StringRef text, StringRef directive) {
  size_t at = text.find(directive);
  if (at == StringRef::npos)
    return "";
  return text.substr(at + directive.size())
      .take_until([](char c) { return c == '\n' || c == ','; })
      .trim()
      .str();
}

/// What the back end itself may have added.
LogicalResult refuseExternalFunctions(gpu::GPUModuleOp module, StringRef text) {
  size_t at = text.find(".extern .func");
  if (at == StringRef::npos)
    return success();
  StringRef line = text.substr(at).take_until([](char c) { return c == '\n'; });
  return module.emitOpError("needs a function that PTX cannot hold: ") << line;
}

} // namespace

void mlir::fa::registerPtxTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
}

FailureOr<mlir::fa::PtxText> mlir::fa::emitPtx(gpu::GPUModuleOp module) {
  auto chip = module->getAttrOfType<StringAttr>("fa.target");
  if (!chip)
    return module.emitOpError("expects the attribute 'fa.target', a chip name");
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(chip.getValue(), neededPtxVersion(module), error);
  if (!machine)
    return module.emitOpError(error);
  if (failed(refuseExternalCalls(module)) ||
      failed(refuseMathWithoutInstruction(module)))
    return failure();

  llvm::LLVMContext context;
  auto handler = std::make_unique<DiagnosticForwarder>(module.getLoc());
  DiagnosticForwarder &diagnostics = *handler;
  context.setDiagnosticHandler(std::move(handler));
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule)
    return failure();
  llvmModule->setTargetTriple(llvm::Triple(kTriple));
  llvmModule->setDataLayout(machine->createDataLayout());

  markConvergentCalls(*llvmModule);
  optimise(*llvmModule, *machine);

  SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return module.emitOpError("cannot be written as PTX by this LLVM");
  codegen.run(*llvmModule);
  if (diagnostics.failed || failed(refuseExternalFunctions(module, bytes)))
    return failure();

  PtxText result;
  result.text = bytes.str().str();
  result.chip = directiveValue(bytes, ".target ");
  result.version = directiveValue(bytes, ".version ");
  return result;
}
