// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Cpu/EmitObject.h"

#include "lowering/Cpu/LinkObject.h"
#include "lowering/Manifest.h"
#include "passes/Stage.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;
using namespace mlir::fa;

namespace {

constexpr llvm::StringLiteral manifestSection = ".fa_manifest";

LogicalResult fail(ModuleOp module, llvm::Error error) {
  return module.emitError(llvm::toString(std::move(error)));
}

std::unique_ptr<llvm::TargetMachine> createMachine(const CpuTarget &target) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.cpu, target.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// What LLVM has to know about every function before it optimises.
void describeTarget(llvm::Module &module, const CpuTarget &target,
                    llvm::TargetMachine &machine) {
  module.setTargetTriple(llvm::Triple(target.triple));
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width",
                       std::to_string(target.vectorBits));
    function.setDoesNotThrow();
  }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

DictionaryAttr describeTarget(MLIRContext *context, const CpuTarget &target) {
  Builder b(context);
  SmallVector<StringRef> required(target.required.begin(),
                                  target.required.end());
  return b.getDictionaryAttr(
      {b.getNamedAttr("kind", b.getStringAttr("cpu")),
       b.getNamedAttr("triple", b.getStringAttr(target.triple)),
       b.getNamedAttr("cpu", b.getStringAttr(target.cpu)),
       b.getNamedAttr("features", b.getStrArrayAttr(required))});
}

void addManifest(llvm::Module &module, llvm::StringRef text) {
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(
      module.getContext(), text, /*AddNull=*/true);
  auto *global = new llvm::GlobalVariable(
      module, bytes->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, bytes, "fa_manifest");
  global->setSection(manifestSection);
  global->setAlignment(llvm::Align(1));
  llvm::appendToUsed(module, {global});
}

LogicalResult assemble(ModuleOp module, llvm::Module &llvmModule,
                       llvm::TargetMachine &machine,
                       SmallVectorImpl<char> &object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return module.emitError("LLVM's x86 back end cannot write objects");
  passes.run(llvmModule);
  return success();
}

bool isAllowed(llvm::StringRef symbol, Calls allowed) {
  if (symbol == "memcpy" || symbol == "memset")
    return true;
  static constexpr llvm::StringLiteral maths[] = {"exp", "exp2", "log", "log2",
                                                  "pow", "tanh", "fmod"};
  // Each has an f32 form of the same name with an f.
  return allowed == Calls::MathLibrary &&
         (llvm::is_contained(maths, symbol) ||
          (symbol.consume_back("f") && llvm::is_contained(maths, symbol)));
}

/// Whatever the object would need from its process is found here, not when it
/// is loaded somewhere else.
LogicalResult checkCalls(ModuleOp module,
                         const llvm::object::ELF64LEObjectFile &elf,
                         Calls allowed) {
  for (llvm::object::ELFSymbolRef symbol : elf.getDynamicSymbolIterators()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!flags)
      return fail(module, flags.takeError());
    if (!name)
      return fail(module, name.takeError());
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() &&
        !isAllowed(*name, allowed))
      return module.emitError(
                 "expects kernels that call nothing but memcpy and "
                 "memset, got a call of '")
             << *name << "'";
  }
  return success();
}

/// Where the manifest's text lies in the file.
llvm::Expected<std::pair<size_t, size_t>>
findManifest(const llvm::object::ELF64LEObjectFile &elf) {
  for (llvm::object::ELFSectionRef section : elf.sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name == manifestSection)
      return std::make_pair<size_t, size_t>(section.getOffset(),
                                            section.getSize());
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "the linked object has lost its manifest");
}

/// Checks the linked object and writes the hash of all but the manifest into
/// it.
LogicalResult finish(ModuleOp module, DictionaryAttr target, Calls allowed,
                     SmallVectorImpl<char> &object) {
  llvm::StringRef bytes(object.data(), object.size());
  auto elf = llvm::object::ELF64LEObjectFile::create(
      llvm::MemoryBufferRef(bytes, "kernels"));
  if (!elf)
    return fail(module, elf.takeError());
  if (failed(checkCalls(module, *elf, allowed)))
    return failure();
  auto place = findManifest(*elf);
  if (!place)
    return fail(module, place.takeError());
  auto [offset, size] = *place;
  std::string hash =
      sha256Hex({bytes.take_front(offset), bytes.drop_front(offset + size)});
  FailureOr<std::string> manifest = writeManifest(module, target, hash);
  if (failed(manifest))
    return failure();
  llvm::copy(*manifest, object.begin() + offset);
  return success();
}

} // namespace

std::unique_ptr<llvm::Module>
mlir::fa::translateForCpu(ModuleOp module, const CpuTarget &target,
                          llvm::LLVMContext &context) {
  if (failed(expectStage(module, {"llvm"})))
    return nullptr;
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "fa-kernels");
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target);
  if (!llvmModule || !machine) {
    module.emitError("cannot be translated to LLVM IR for '")
        << target.cpu << "'";
    return nullptr;
  }
  describeTarget(*llvmModule, target, *machine);
  optimize(*llvmModule, *machine);
  return llvmModule;
}

LogicalResult mlir::fa::emitCpuObject(ModuleOp module, const CpuTarget &target,
                                      Calls allowed,
                                      SmallVectorImpl<char> &out) {
  DictionaryAttr description = describeTarget(module.getContext(), target);
  FailureOr<std::string> manifest =
      writeManifest(module, description, emptySha256());
  if (failed(manifest))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateForCpu(module, target, context);
  if (!llvmModule)
    return failure();
  addManifest(*llvmModule, *manifest);

  SmallVector<char, 0> object;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target);
  if (failed(assemble(module, *llvmModule, *machine, object)))
    return failure();
  if (llvm::Error error = linkSharedObject({object.data(), object.size()}, out))
    return fail(module, std::move(error));
  return finish(module, description, allowed, out);
}
