// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Compiler.h"

#include "dialect/Target/GpuTarget.h"
#include "dialect/Target/ScheduleTable.h"
#include "lowering/CheckInput.h"
#include "lowering/Cpu/EmitObject.h"
#include "lowering/Cpu/Passes.h"
#include "lowering/Manifest.h"
#include "lowering/Ptx/EmitPtx.h"
#include "lowering/Reference/Passes.h"
#include "lowering/WgToNvvm/Passes.h"
#include "passes/CheckManifest.h"
#include "passes/ManifestBuilder.h"
#include "passes/Pipelines.h"
#include "passes/Stage.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <functional>

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// The way down
//===----------------------------------------------------------------------===//

namespace {
/// One stage of the whole way, with the passes that lead to it.
struct Step {
  std::string name;
  std::function<void(OpPassManager &)> build;
  bool optional = false;
};
} // namespace

static bool isCpu(const CompileOptions &options) {
  return options.chip == "cpu";
}

static void fill(PipelineOptions &to, const CompileOptions &from) {
  to.chip = from.chip;
  to.entry = from.entry;
  to.queryTile = from.queryTile;
  to.keyTile = from.keyTile;
  to.warps = from.warps;
  to.stages = from.stages;
  to.mask = from.mask;
  to.schedule = from.schedule;
}

static Step step(const Stage &stage, const CompileOptions &options) {
  return {stage.name.str(),
          [stage, options](OpPassManager &pm) {
            PipelineOptions told;
            fill(told, options);
            stage.build(pm, told);
          },
          stage.optional};
}

/// The stages from the front end to what is emitted, for the chip.
static std::vector<Step> wayDown(const CompileOptions &options,
                                 const CpuTarget &cpu) {
  std::vector<Step> way;
  for (const Stage &stage : commonStages()) {
    way.push_back(step(stage, options));
    if (options.reference)
      break; // the definition is lowered from `buffers`
  }
  if (options.reference) {
    way.push_back({"llvm", [cpu](OpPassManager &pm) {
                     buildReferencePipeline(pm, cpu);
                   }});
    return way;
  }
  if (isCpu(options)) {
    way.push_back({"packed", [cpu](OpPassManager &pm) {
                     buildCpuPackPipeline(pm, cpu);
                   }});
    way.push_back({"vectors", [cpu](OpPassManager &pm) {
                     buildCpuVectorPipeline(pm, cpu);
                   }});
    way.push_back(
        {"llvm", [cpu](OpPassManager &pm) { buildCpuLlvmPipeline(pm, cpu); }});
    return way;
  }
  for (const Stage &stage : gpuStages(options.chip))
    way.push_back(step(stage, options));
  way.push_back({"nvvm", buildNvvmPipeline});
  return way;
}

std::string mlir::fa::chipNames() { return ::fa::target::knownChips(); }

std::vector<std::string> mlir::fa::stageNames(const CompileOptions &options) {
  std::vector<std::string> names{"problem"};
  for (const Step &step : wayDown(options, CpuTarget()))
    names.push_back(step.name);
  return names;
}

StringRef mlir::fa::lastStep(const CompileOptions &options) {
  return isCpu(options) ? "object" : "ptx";
}

//===----------------------------------------------------------------------===//
// Walking it
//===----------------------------------------------------------------------===//

/// Chip and processor are known, and what is skipped may be.
static FailureOr<CpuTarget> checkOptions(ModuleOp module,
                                         const CompileOptions &options) {
  if (!::fa::target::knowsChip(options.chip))
    return module.emitError() << "expects a chip among " << chipNames()
                              << ", got '" << options.chip << "'";
  if (options.reference && !isCpu(options))
    return module.emitError() << "expects --chip=cpu with --reference, got '"
                              << options.chip << "'";
  for (const std::string &name : options.skip) {
    bool known = false;
    for (const Step &step : wayDown(options, CpuTarget()))
      known |= step.optional && step.name == name;
    if (!known)
      return module.emitError() << "expects optional stages to skip (masked, "
                                   "or pipelined on a GPU), got '"
                                << name << "'";
  }
  if (!isCpu(options))
    return CpuTarget();
  auto cpu = CpuTarget::get({options.cpu});
  if (!cpu)
    return module.emitError() << llvm::toString(cpu.takeError());
  return *cpu;
}

static LogicalResult runPasses(ModuleOp module, const CompileOptions &options,
                               function_ref<void(OpPassManager &)> build) {
  if (options.run) {
    OpPassManager passes(ModuleOp::getOperationName());
    build(passes);
    return options.run(passes, module);
  }
  PassManager passes(module->getContext(), ModuleOp::getOperationName());
  build(passes);
  return passes.run(module);
}

static FailureOr<CpuTarget>
walkTo(ModuleOp module, const CompileOptions &options, StringRef last) {
  FailureOr<CpuTarget> cpu = checkOptions(module, options);
  if (failed(cpu))
    return failure();
  std::vector<Step> way = wayDown(options, *cpu);
  std::vector<std::string> names = stageNames(options);
  if (failed(checkInput(module, options, names)))
    return failure();
  auto place = [&](StringRef name) {
    return std::distance(names.begin(), llvm::find(names, name));
  };
  StringRef from = getStage(module);
  size_t first = place(from), end = place(last);
  for (StringRef name : {from, last}) {
    if (llvm::is_contained(names, name))
      continue;
    InFlightDiagnostic diag = module.emitError();
    diag << "expects a stage on the way for chip " << options.chip << " (";
    llvm::interleaveComma(names, diag);
    return diag << ", " << lastStep(options) << "), got '" << name << "'";
  }
  if (end < first)
    return module.emitError()
           << "is at stage " << from << " already, behind the stage asked for, "
           << last;
  auto build = [&](OpPassManager &passes) {
    for (size_t i = first; i < end; ++i)
      if (!llvm::is_contained(options.skip, way[i].name))
        way[i].build(passes);
  };
  if (failed(runPasses(module, options, build)))
    return failure();
  return cpu;
}

void mlir::fa::getCompilerDialects(DialectRegistry &registry) {
  CompileOptions options;
  for (const char *chip : {"cpu", "sm_80", "sm_90a"}) {
    options.chip = chip;
    for (bool reference : {false, options.chip == "cpu"}) {
      options.reference = reference;
      OpPassManager passes(ModuleOp::getOperationName());
      for (const Step &step : wayDown(options, CpuTarget()))
        step.build(passes);
      passes.getDependentDialects(registry);
    }
  }
  registerPtxTranslations(registry);
}

LogicalResult mlir::fa::compileToStage(ModuleOp module,
                                       const CompileOptions &options,
                                       StringRef stage) {
  return success(succeeded(walkTo(module, options, stage)));
}

//===----------------------------------------------------------------------===//
// Artefacts
//===----------------------------------------------------------------------===//

/// The gpu.module that holds the kernels.
static FailureOr<gpu::GPUModuleOp> kernelModule(ModuleOp module) {
  auto modules = module.getOps<gpu::GPUModuleOp>();
  if (!llvm::hasSingleElement(modules))
    return module.emitError()
           << "expects one gpu.module, got " << llvm::range_size(modules);
  return *modules.begin();
}

/// PTX newer than a driver must know is an error at launch that the runtime can
/// foresee: each kernel says what it needs.
static void recordPtxVersion(ModuleOp module, StringRef version) {
  replaceKernelEntries(module, [&](NamedAttrList fields) {
    fields.set("min_ptx", StringAttr::get(module.getContext(), version));
    return KernelEntries{fields};
  });
}

/// sm_90a and its like run on exactly that chip, others on newer ones too.
static DictionaryAttr describeChip(Builder &b, StringRef chip) {
  StringRef rule = chip.ends_with("a") ? "exact" : "or_newer";
  return b.getDictionaryAttr({
      b.getNamedAttr("kind", b.getStringAttr("ptx")),
      b.getNamedAttr("chip", b.getStringAttr(chip)),
      b.getNamedAttr("rule", b.getStringAttr(rule)),
  });
}

/// The manifest as PTX comments, then the PTX.
static FailureOr<std::string> ptxArtifact(ModuleOp module) {
  FailureOr<gpu::GPUModuleOp> kernels = kernelModule(module);
  if (failed(kernels))
    return failure();
  FailureOr<PtxText> ptx = emitPtx(*kernels);
  if (failed(ptx))
    return failure();
  recordPtxVersion(module, ptx->version);
  Builder b(module.getContext());
  FailureOr<std::string> manifest = writeManifest(
      module, describeChip(b, ptx->chip), sha256Hex({StringRef(ptx->text)}));
  if (failed(manifest))
    return failure();
  std::string text = "// fa-manifest 1\n";
  StringRef rest = *manifest;
  while (!rest.empty()) {
    auto [line, tail] = rest.split('\n');
    text += ("// " + line + "\n").str();
    rest = tail;
  }
  return text + "// fa-manifest end\n" + ptx->text;
}

FailureOr<std::string>
mlir::fa::compileToArtifact(ModuleOp module, const CompileOptions &options) {
  FailureOr<CpuTarget> cpu =
      walkTo(module, options, stageNames(options).back());
  if (failed(cpu) || failed(checkManifest(module)))
    return failure();
  if (!isCpu(options))
    return ptxArtifact(module);
  SmallVector<char> bytes;
  Calls allowed = options.reference ? Calls::MathLibrary : Calls::Memory;
  if (failed(emitCpuObject(module, *cpu, allowed, bytes)))
    return failure();
  return std::string(bytes.begin(), bytes.end());
}

FailureOr<std::string> mlir::fa::compileToLlvm(ModuleOp module,
                                               const CompileOptions &options) {
  FailureOr<CpuTarget> cpu =
      walkTo(module, options, stageNames(options).back());
  if (failed(cpu))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated;
  if (isCpu(options)) {
    translated = translateForCpu(module, *cpu, context);
  } else {
    FailureOr<gpu::GPUModuleOp> kernels = kernelModule(module);
    if (failed(kernels))
      return failure();
    translated = translateModuleToLLVMIR(*kernels, context);
  }
  if (!translated)
    return failure();
  stream << *translated;
  return text;
}
