// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench-cpu: how close a CPU artefact of fixed sizes comes to the core's peak.
#include "runtime/fa_runtime.h"
#include "tools/bench-cpu/Peak.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace fa::bench;

namespace {

void check(fa_status status) {
  if (status == FA_OK)
    return;
  std::fprintf(stderr, "bench-cpu: %s\n", fa_last_error());
  std::exit(2);
}

struct Artefact {
  fa_artifact *handle = nullptr;
  fa_plan *plan = nullptr;
  fa_problem_info problem;
  std::vector<fa_tensor> tensors;
  std::vector<std::vector<uint16_t>> memory;
  int vectorBits;
  double flop;

  explicit Artefact(const char *path);

private:
  void addTensor(const fa_tensor_info &info);
  const fa_tensor &find(const char *name) const;
  double pairs() const;
};

Artefact::Artefact(const char *path) {
  check(fa_artifact_open(path, &handle));
  check(fa_artifact_problem(handle, &problem));
  const char *json;
  check(fa_artifact_manifest_json(handle, &json));
  vectorBits = std::strstr(json, "\"avx512f\"") ? 512 : 256;
  size_t count;
  check(fa_artifact_tensor_count(handle, &count));
  memory.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    fa_tensor_info info;
    check(fa_artifact_tensor(handle, i, &info));
    addTensor(info);
  }
  check(fa_prepare(handle, {FA_CPU, 0}, tensors.data(), count, nullptr, 0,
                   nullptr, &plan));
  flop = 2.0 * pairs() * (find("q").sizes[3] + find("v").sizes[3]);
}

/// Small f16 or bf16 numbers of both signs, row-major.
void Artefact::addTensor(const fa_tensor_info &info) {
  fa_tensor tensor = {};
  tensor.name = info.name;
  tensor.type = info.type;
  tensor.rank = info.rank;
  tensor.device = {FA_CPU, 0};
  int64_t elements = 1;
  for (int32_t d = info.rank; d-- > 0;) {
    if (info.dims[d] < 0 || info.rank != 4) {
      std::fprintf(stderr,
                   "bench-cpu: expects q, k, v and o of fixed sizes, "
                   "got '%s'\n",
                   info.name);
      std::exit(2);
    }
    tensor.sizes[d] = info.dims[d];
    tensor.strides[d] = elements;
    elements *= info.dims[d];
  }
  memory.emplace_back(elements);
  uint32_t state = 1;
  for (uint16_t &x : memory.back()) {
    state = state * 1664525u + 1013904223u;
    uint16_t magnitude = info.type == FA_F16 ? 0x3000 : 0x3e00;
    x = magnitude + (state >> 24) + ((state >> 16 & 1) << 15);
  }
  tensor.data = memory.back().data();
  tensors.push_back(tensor);
}

const fa_tensor &Artefact::find(const char *name) const {
  return *std::find_if(tensors.begin(), tensors.end(), [&](const fa_tensor &t) {
    return !std::strcmp(t.name, name);
  });
}

/// Pairs of a query and a key that it keeps; windows count as causal or not.
double Artefact::pairs() const {
  bool bshd = !std::strcmp(problem.layout, "bshd");
  const fa_tensor &q = find("q"), &k = find("k");
  int64_t heads = q.sizes[bshd ? 2 : 1];
  int64_t queries = q.sizes[bshd ? 1 : 2], keys = k.sizes[bshd ? 1 : 2];
  int64_t offset = problem.bottom_right ? keys - queries : 0;
  double sum = 0;
  for (int64_t i = 0; i < queries; ++i)
    sum += problem.causal ? std::clamp<int64_t>(i + offset + 1, 0, keys) : keys;
  return sum * q.sizes[0] * heads;
}

/// Peak and kernel in turn, so that both see the same machine; best of each.
int run(const char *path, int rounds) {
  Artefact artefact(path);
  check(fa_launch(artefact.plan, nullptr));
  double peak = 0, best = 0;
  for (int i = 0; i < rounds; ++i) {
    peak = std::max(peak, measurePeak(artefact.vectorBits));
    double begin = processorSeconds();
    check(fa_launch(artefact.plan, nullptr));
    best = std::max(best, artefact.flop / (processorSeconds() - begin) * 1e-9);
  }
  std::printf("%-40s %8.1f %8.1f %6d %6.2f\n", path, best, peak,
              artefact.vectorBits, best / peak);
  check(fa_plan_destroy(artefact.plan));
  check(fa_artifact_close(artefact.handle));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: bench-cpu ARTEFACT...\n"
                         "GFLOP/s of one core's time against the peak of the "
                         "vector width that the artefact was compiled for.\n");
    return 2;
  }
  std::printf("%-40s %8s %8s %6s %6s\n", "artefact", "GFLOP/s", "peak", "bits",
              "share");
  for (int i = 1; i < argc; ++i)
    run(argv[i], /*rounds=*/7);
  return 0;
}
