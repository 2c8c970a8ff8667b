// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch costs the calling thread over a bare cuLaunchKernel, through
// the C ABI: bench-launch ARTEFACT.ptx. The sizes are small, so that the queue
// of launches never fills. FA_CUDA_DRIVER may name the tests' stand-in for the
// driver.
#include "runtime/CudaApi.h"
#include "runtime/fa_runtime.h"

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cuda = fa::rt::cuda;

namespace {

constexpr fa_device gpu = {FA_CUDA, 0};
constexpr int rounds = 41, launches = 200, bareParams = 24;

void check(fa_status status) {
  if (status == FA_OK)
    return;
  std::fprintf(stderr, "error: %s\n", fa_last_error());
  std::exit(1);
}

/// A kernel that does nothing, launched as directly as can be.
class Bare {
public:
  Bare() {
    const char *name = std::getenv("FA_CUDA_DRIVER");
    library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
    entry("cuLaunchKernel", api.launch);
    entry("cuModuleLoadDataEx", api.moduleLoad);
    entry("cuModuleGetFunction", api.moduleFunction);
    entry("cuModuleUnload", api.moduleUnload);
    if (api.moduleLoad(&module, text().c_str(), 0, nullptr, nullptr) ||
        api.moduleFunction(&function, module, "bare"))
      fail("the empty kernel does not load");
    for (int i = 0; i < bareParams; ++i)
      params[i] = &values[i];
  }

  ~Bare() { (void)api.moduleUnload(module); }
  Bare(const Bare &) = delete;

  void operator()(void *stream) {
    if (api.launch(function, 1, 1, 1, 32, 1, 1, 0,
                   static_cast<cuda::Stream>(stream), params, nullptr))
      fail("the empty kernel does not launch");
  }

private:
  [[noreturn]] static void fail(const char *what) {
    std::fprintf(stderr, "error: %s\n", what);
    std::exit(1);
  }

  template <typename F> void entry(const char *name, F &function) {
    function = library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
    if (!function)
      fail(name);
  }

  static std::string text() {
    std::string ptx = ".version 7.0\n.target sm_80\n.address_size 64\n"
                      ".visible .entry bare(.param .u64 p0";
    for (int i = 1; i < bareParams; ++i)
      ptx += ", .param .u64 p" + std::to_string(i);
    return ptx + ") { ret; }\n";
  }

  void *library;
  cuda::Api api = {};
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  uint64_t values[bareParams] = {};
  void *params[bareParams];
};

/// A small tensor for each of the artefact's.
std::vector<fa_tensor> makeTensors(const fa_artifact *artifact) {
  size_t count = 0;
  check(fa_artifact_tensor_count(artifact, &count));
  std::vector<fa_tensor> tensors(count);
  for (size_t i = 0; i < count; ++i) {
    fa_tensor_info info;
    check(fa_artifact_tensor(artifact, i, &info));
    fa_tensor &tensor = tensors[i];
    tensor.name = info.name;
    tensor.type = info.type;
    tensor.rank = info.rank;
    tensor.device = gpu;
    int64_t elements = 1;
    for (int d = info.rank - 1; d >= 0; --d) {
      // Sequences of 64; one batch entry and one head.
      bool sequence = info.symbols[d] && info.symbols[d][0] == 'S';
      tensor.sizes[d] = info.dims[d] >= 0 ? info.dims[d] : sequence ? 64 : 1;
      tensor.strides[d] = elements;
      elements *= tensor.sizes[d];
    }
    check(
        fa_memory_alloc(gpu, static_cast<size_t>(8 * elements), &tensor.data));
    check(
        fa_memory_fill(gpu, tensor.data, 0, static_cast<size_t>(8 * elements)));
  }
  return tensors;
}

double threadMicroseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) +
         1e-3 * static_cast<double>(now.tv_nsec);
}

/// CPU time of one call, each from the median of its rounds; the rounds of all
/// take turns.
std::vector<double> measure(const std::vector<std::function<void()>> &calls,
                            void *stream) {
  std::vector<std::vector<double>> times(calls.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < calls.size(); ++i) {
      check(fa_stream_synchronize(stream));
      double start = threadMicroseconds();
      for (int n = 0; n < launches; ++n)
        calls[i]();
      times[i].push_back((threadMicroseconds() - start) / launches);
    }
  std::vector<double> medians;
  for (std::vector<double> &all : times) {
    std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
    medians.push_back(all[rounds / 2]);
  }
  return medians;
}

void print(const char *kernel, const std::vector<double> &times) {
  std::printf("kernel %s, CPU time of one call in microseconds\n", kernel);
  std::printf("cuLaunchKernel   %6.2f\n", times[0]);
  std::printf("fa_launch        %6.2f  %+.2f\n", times[1], times[1] - times[0]);
  std::printf("fa_launch_with   %6.2f  %+.2f\n", times[2], times[2] - times[0]);
  std::printf("fa_prepare       %6.2f\n", times[3]);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench-launch ARTEFACT.ptx\n");
    return 2;
  }
  fa_artifact *artifact = nullptr;
  fa_plan *plan = nullptr;
  void *stream = nullptr;
  const char *kernel = nullptr;
  check(fa_artifact_open(argv[1], &artifact));
  check(fa_device_use(gpu));
  check(fa_stream_create(&stream));
  std::vector<fa_tensor> tensors = makeTensors(artifact);
  fa_prepare_options options = {sizeof(options), nullptr, stream};
  check(fa_prepare(artifact, gpu, tensors.data(), tensors.size(), nullptr, 0,
                   &options, &plan));
  check(fa_plan_kernel_name(plan, &kernel));
  // fa_launch_with moves between two sets of addresses, as a caller's do.
  std::vector<fa_tensor> others = makeTensors(artifact);
  std::vector<void *> data[2];
  for (size_t i = 0; i < tensors.size(); ++i) {
    data[0].push_back(tensors[i].data);
    data[1].push_back(others[i].data);
  }
  int turn = 0;
  std::optional<Bare> bare(std::in_place);
  print(kernel, measure({[&] { (*bare)(stream); },
                         [&] { check(fa_launch(plan, stream)); },
                         [&] {
                           turn = 1 - turn;
                           check(fa_launch_with(plan, data[turn].data(),
                                                data[turn].size(), stream));
                         },
                         [&] {
                           fa_plan *fresh = nullptr;
                           check(fa_prepare(artifact, gpu, tensors.data(),
                                            tensors.size(), nullptr, 0,
                                            &options, &fresh));
                           check(fa_plan_destroy(fresh));
                         }},
                        stream));
  bare.reset(); // while the device is still in use
  check(fa_plan_destroy(plan));
  for (const std::vector<fa_tensor> *all : {&tensors, &others})
    for (const fa_tensor &tensor : *all)
      check(fa_memory_free(gpu, tensor.data));
  check(fa_stream_destroy(stream));
  check(fa_artifact_close(artifact));
  check(fa_device_release(gpu));
  return 0;
}
