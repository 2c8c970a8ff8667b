// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Cpu/CpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir::fa;

namespace {

/// A feature as LLVM and as __builtin_cpu_supports name it. Only features that
/// generated code may use: a machine without one of them could meet an
/// instruction that it does not have.
struct Feature {
  llvm::StringLiteral llvmName;
  llvm::StringLiteral runtimeName;
};

constexpr Feature knownFeatures[] = {
    {"avx", "avx"},
    {"avx2", "avx2"},
    {"fma", "fma"},
    {"f16c", "f16c"},
    {"bmi", "bmi"},
    {"bmi2", "bmi2"},
    {"popcnt", "popcnt"},
    {"lzcnt", "lzcnt"},
    {"movbe", "movbe"},
    {"avx512f", "avx512f"},
    {"avx512bw", "avx512bw"},
    {"avx512cd", "avx512cd"},
    {"avx512dq", "avx512dq"},
    {"avx512vl", "avx512vl"},
    {"avx512vbmi", "avx512vbmi"},
    {"avx512vbmi2", "avx512vbmi2"},
    {"avx512ifma", "avx512ifma"},
    {"avx512vnni", "avx512vnni"},
    {"avx512bitalg", "avx512bitalg"},
    {"avx512vpopcntdq", "avx512vpopcntdq"},
    {"avx512bf16", "avx512bf16"},
    {"avx512fp16", "avx512fp16"},
    {"gfni", "gfni"},
};

llvm::Error refuse(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

std::string hostFeatureString() {
  std::vector<std::string> list;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    list.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(list);
  return llvm::join(list, ",");
}

} // namespace

llvm::Expected<CpuTarget> CpuTarget::get(const CpuOptions &options) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();

  CpuTarget target;
  target.cpu = options.cpu;
  if (options.cpu == "native") {
    llvm::Triple host(llvm::sys::getProcessTriple());
    if (host.getArch() != llvm::Triple::x86_64)
      return refuse("cpu 'native' expects an x86-64 machine, got " +
                    host.str());
    target.cpu = llvm::sys::getHostCPUName().str();
    target.features = hostFeatureString();
  }

  std::string error;
  llvm::Triple triple(target.triple);
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return refuse("LLVM was built without its x86 back end: " + error);
  std::unique_ptr<llvm::MCSubtargetInfo> none(
      backend->createMCSubtargetInfo(triple, "", ""));
  if (!none->isCPUStringValid(target.cpu))
    return refuse("unknown cpu '" + target.cpu +
                  "'; supported are x86-64-v3, x86-64-v4, native, and LLVM's "
                  "names of processors from x86-64-v3 on");
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      backend->createMCSubtargetInfo(triple, target.cpu, target.features));
  auto has = [&](llvm::StringRef name) {
    return info->checkFeatures(("+" + name).str());
  };
  for (llvm::StringRef needed : {"avx2", "fma", "f16c", "bmi2"})
    if (!has(needed))
      return refuse("expects a cpu from x86-64-v3 on, got '" + target.cpu +
                    "', which lacks " + needed);
  for (const Feature &feature : knownFeatures)
    if (has(feature.llvmName))
      target.required.push_back(feature.runtimeName.str());
  target.vectorBits = has("avx512f") && has("avx512vl") ? 512 : 256;
  target.hasBf16 = has("avx512bf16") && has("avx512vl");
  return target;
}
