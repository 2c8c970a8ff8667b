// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CpuLibrary.h"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fa::rt {

bool cpuSupports(std::string_view feature, bool &known) {
  known = true;
#if defined(__x86_64__)
  // The builtin takes string literals only.
#define FA_FEATURE(name)                                                       \
  if (feature == name)                                                         \
    return __builtin_cpu_supports(name);
  FA_FEATURE("sse3")
  FA_FEATURE("ssse3")
  FA_FEATURE("sse4.1")
  FA_FEATURE("sse4.2")
  FA_FEATURE("popcnt")
  FA_FEATURE("lzcnt")
  FA_FEATURE("bmi")
  FA_FEATURE("bmi2")
  FA_FEATURE("movbe")
  FA_FEATURE("avx")
  FA_FEATURE("avx2")
  FA_FEATURE("fma")
  FA_FEATURE("f16c")
  FA_FEATURE("avx512f")
  FA_FEATURE("avx512bw")
  FA_FEATURE("avx512cd")
  FA_FEATURE("avx512dq")
  FA_FEATURE("avx512vl")
  FA_FEATURE("avx512vnni")
  FA_FEATURE("avx512vbmi")
  FA_FEATURE("avx512vbmi2")
  FA_FEATURE("avx512ifma")
  FA_FEATURE("avx512bitalg")
  FA_FEATURE("avx512vpopcntdq")
  FA_FEATURE("gfni")
  FA_FEATURE("avx512bf16")
  FA_FEATURE("avx512fp16")
  FA_FEATURE("x86-64-v2")
  FA_FEATURE("x86-64-v3")
  FA_FEATURE("x86-64-v4")
#undef FA_FEATURE
#endif
  known = false;
  return false;
}

namespace {

constexpr std::string_view hostArch =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#else
    "unknown";
#endif

Status checkMachine(const TargetSpec &target) {
  std::string_view arch = target.triple;
  arch = arch.substr(0, arch.find('-'));
  if (arch != hostArch)
    return failure(FA_UNSUPPORTED, "the artefact is for ", target.triple,
                   ", this machine is ", hostArch);
  for (const std::string &feature : target.features) {
    bool known = false;
    if (cpuSupports(feature, known))
      continue;
    return failure(FA_UNSUPPORTED, "the artefact needs the CPU feature '",
                   feature, "', ",
                   known ? "which this CPU does not have"
                         : "which this runtime does not know",
                   "; it was compiled for ", target.cpu);
  }
  return {};
}

Status writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return failure(
          FA_OUT_OF_MEMORY,
          "cannot write the artefact into memory: ", std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

} // namespace

Status CpuLibrary::load(const ArtifactImage &image,
                        std::shared_ptr<CpuLibrary> &result) {
  if (Status s = checkMachine(image.manifest.target))
    return s;
  int file = ::memfd_create("fa-artifact", MFD_CLOEXEC);
  if (file < 0)
    return failure(FA_IO_ERROR, "memfd_create fails: ", std::strerror(errno));
  void *handle = nullptr;
  Status status = writeAll(file, image.bytes);
  if (!status) {
    std::string path = concat("/proc/self/fd/", file);
    handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      status = failure(FA_INVALID_ARTIFACT,
                       "the shared object does not load: ", ::dlerror());
  }
  if (status) {
    ::close(file);
    return status;
  }
  result.reset(new CpuLibrary(handle, file));
  return {};
}

CpuLibrary::~CpuLibrary() {
  ::dlclose(handle);
  ::close(file);
}

Status CpuLibrary::find(const std::string &name, CpuKernel &kernel) const {
  kernel = reinterpret_cast<CpuKernel>(::dlsym(handle, name.c_str()));
  if (kernel)
    return {};
  return failure(FA_INVALID_ARTIFACT, "the shared object has no symbol '", name,
                 "'");
}

} // namespace fa::rt
