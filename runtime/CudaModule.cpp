// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CudaModule.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace fa::rt {
namespace {

Status checkChip(const Driver &driver, cuda::Device device,
                 const TargetSpec &target) {
  int major = 0, minor = 0;
  if (Status s = driver.attribute(device, cuda::AttributeMajor, major))
    return s;
  if (Status s = driver.attribute(device, cuda::AttributeMinor, minor))
    return s;
  int has = 10 * major + minor,
      needs = 10 * target.chipMajor + target.chipMinor;
  if (target.exact ? has == needs : has >= needs)
    return {};
  return failure(FA_UNSUPPORTED, "the artefact runs on ",
                 target.exact ? concat("exactly ", target.chip)
                              : concat(target.chip, " or newer"),
                 ", cuda:", device, " is sm_", has);
}

Status checkDriverVersion(int version, const Manifest &manifest) {
  int needed = 0;
  for (const KernelSpec &kernel : manifest.kernels)
    needed = std::max(needed, kernel.ptxVersion);
  int newest = newestPtx(version);
  if (needed <= newest)
    return {};
  return failure(FA_UNSUPPORTED, "the artefact needs a driver for PTX ",
                 needed / 10, ".", needed % 10, "; this one (CUDA ",
                 version / 1000, ".", version % 1000 / 10,
                 ") is too old, it takes PTX up to ", newest / 10, ".",
                 newest % 10);
}

/// Compiles the PTX, its kernels in threads of their own where the driver can:
/// three of sm_90a took 1.0 to 1.6 s in one thread and 0.55 to 0.95 s so. The
/// compiler's log is part of the error.
Status compile(const Driver &driver, int version, const ArtifactImage &image,
               cuda::Module &module) {
  constexpr int splits = 13000;
  constexpr void *allProcessors = nullptr;
  std::vector<char> log(16 << 10);
  int options[] = {cuda::JitErrorLog, cuda::JitErrorLogBytes,
                   cuda::JitSplitCompile};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size()),
                    allProcessors};
  cuda::Result result = driver.api.moduleLoad(
      &module, image.ptx(), version < splits ? 2 : 3, options, values);
  Status status = driver.check(result, "cuModuleLoadDataEx");
  log.back() = 0;
  if (!status || !log[0])
    return status;
  return failure(status.code(), status.text(), "\n", log.data());
}

using Key = std::tuple<cuda::Context, unsigned long long, std::string>;

/// One module, compiled by the first who asks for it; the others wait for it,
/// and nobody for other modules.
struct Entry {
  std::mutex mutex;
  std::weak_ptr<CudaModule> module;
};

struct Cache {
  std::mutex mutex;
  std::map<Key, std::shared_ptr<Entry>> entries;

  std::shared_ptr<Entry> find(const Key &key) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto it = entries.begin(); it != entries.end();)
      it = isLeft(it->second) ? entries.erase(it) : std::next(it);
    std::shared_ptr<Entry> &entry = entries[key];
    if (!entry)
      entry = std::make_shared<Entry>();
    return entry;
  }

private:
  /// Whether nobody has the module, and nobody is about to have it.
  static bool isLeft(const std::shared_ptr<Entry> &entry) {
    if (entry.use_count() > 1)
      return false;
    std::lock_guard<std::mutex> lock(entry->mutex);
    return entry->module.expired();
  }
};

Cache &cache() {
  static Cache *cache = new Cache(); // outlives every plan
  return *cache;
}

} // namespace

Status CudaModule::load(const Driver &driver, cuda::Context context,
                        cuda::Device device, const ArtifactImage &image,
                        std::shared_ptr<CudaModule> &result) {
  if (Status s = checkChip(driver, device, image.manifest.target))
    return s;
  int version = 0;
  if (Status s = driver.check(driver.api.driverVersion(&version),
                              "cuDriverGetVersion"))
    return s;
  if (Status s = checkDriverVersion(version, image.manifest))
    return s;
  // A new context may get the address of one that was destroyed, never its
  // number.
  unsigned long long id = 0;
  if (driver.api.contextId)
    if (Status s =
            driver.check(driver.api.contextId(context, &id), "cuCtxGetId"))
      return s;
  std::shared_ptr<Entry> entry =
      cache().find({context, id, image.manifest.bodySha256});
  std::lock_guard<std::mutex> lock(entry->mutex);
  if ((result = entry->module.lock()))
    return {};
  cuda::Module module = nullptr;
  if (Status s = compile(driver, version, image, module))
    return s;
  result.reset(new CudaModule(driver, context, device, module));
  entry->module = result;
  return {};
}

CudaModule::~CudaModule() {
  ContextScope scope(driver, context);
  if (scope)
    (void)driver.api.moduleUnload(module);
}

Status CudaModule::find(const KernelSpec &kernel,
                        cuda::Function &function) const {
  if (Status s = driver.check(
          driver.api.moduleFunction(&function, module, kernel.name.c_str()),
          "cuModuleGetFunction"))
    return failure(s.code(), "kernel '", kernel.name, "': ", s.text());
  // What a launch gets without asking.
  constexpr int64_t granted = 48 << 10;
  if (kernel.sharedBytes <= granted)
    return {};
  int most = 0;
  if (Status s =
          driver.attribute(device, cuda::AttributeSharedMemoryOptIn, most))
    return s;
  if (kernel.sharedBytes > most)
    return failure(FA_UNSUPPORTED, "kernel '", kernel.name, "' needs ",
                   kernel.sharedBytes, " bytes of shared memory, cuda:", device,
                   " has ", most);
  return driver.check(
      driver.api.functionSet(function, cuda::FunctionMaxDynamicShared,
                             static_cast<int>(kernel.sharedBytes)),
      "cuFuncSetAttribute");
}

} // namespace fa::rt
