// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches from compiled modules that have an artefact inside: the artefact is
// opened by the first call, and plans are kept by shape.
#include "runtime/CApi.h"
#include "runtime/Driver.h"
#include "runtime/Plan.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <utility>

namespace fa::rt {
namespace {

/// Plans kept for one place of an artefact; the oldest one goes.
constexpr size_t maxPlans = 64;
/// Address bits that a launch predicate may look at.
constexpr uintptr_t alignmentBits = 127;

/// What a plan depends on: everything but the addresses' upper bits.
struct PlanKey {
  fa_device device;
  const void *context;
  std::vector<int64_t> values;

  bool operator==(const PlanKey &other) const {
    return device.index == other.device.index && context == other.context &&
           values == other.values;
  }
};

struct CachedPlan {
  PlanKey key;
  std::shared_ptr<Plan> plan;
};

/// Of launches that name none.
thread_local void *currentStream = nullptr;

/// One artefact inside a program, with what has been made of it.
struct Site {
  std::shared_ptr<Artifact> artifact;
  std::mutex mutex;
  std::list<CachedPlan> plans; // the latest one first
};

/// The values of a call, taken apart as the manifest says.
struct Call {
  std::vector<fa_tensor> tensors;
  std::vector<fa_scalar> scalars;
  std::vector<void *> data;
};

Status openSite(const void *bytes, size_t size, std::atomic<Site *> &state,
                Site *&site) {
  site = state.load(std::memory_order_acquire);
  if (site)
    return {};
  auto made = std::make_unique<Site>();
  made->artifact = std::make_shared<Artifact>();
  if (Status s =
          readArtifact(std::string(static_cast<const char *>(bytes), size),
                       made->artifact->image))
    return s;
  if (state.compare_exchange_strong(site, made.get(),
                                    std::memory_order_acq_rel))
    site = made.release(); // for as long as the program runs
  return {};
}

/// The CPU, or the device of the calling thread's context.
Status findDevice(const Manifest &manifest, PlanKey &key) {
  key.device = {manifest.target.kind, 0};
  key.context = nullptr;
  if (manifest.target.kind == FA_CPU)
    return {};
  const Driver *driver;
  if (Status s = Driver::open(driver))
    return s;
  cuda::Context context = nullptr;
  cuda::Device current = 0, device = -1;
  if (Status s =
          driver->check(driver->api.contextGet(&context), "cuCtxGetCurrent"))
    return s;
  if (!context)
    return failure(FA_NO_DEVICE, "no CUDA context is current in this thread; "
                                 "fa_device_use makes one so");
  key.context = context;
  if (Status s =
          driver->check(driver->api.contextDevice(&current), "cuCtxGetDevice"))
    return s;
  for (; device != current; ++key.device.index)
    if (Status s = driver->device(key.device.index, device))
      return s;
  --key.device.index;
  return {};
}

Status readCall(const Manifest &manifest, fa_device device,
                const int64_t *values, size_t count, Call &call) {
  size_t expected = manifest.scalars.size();
  for (const TensorSpec &spec : manifest.tensors)
    expected += 1 + 2 * spec.dims.size();
  if (count != expected)
    return failure(FA_INVALID_ARGUMENT, "expects ", expected,
                   " values for this artefact, got ", count);
  for (const TensorSpec &spec : manifest.tensors) {
    fa_tensor tensor = {};
    tensor.name = spec.name.c_str();
    tensor.type = spec.type;
    tensor.device = device;
    tensor.rank = static_cast<int32_t>(spec.dims.size());
    tensor.data = reinterpret_cast<void *>(*values++);
    for (int32_t d = 0; d < tensor.rank; ++d)
      tensor.sizes[d] = *values++;
    for (int32_t d = 0; d < tensor.rank; ++d)
      tensor.strides[d] = *values++;
    call.tensors.push_back(tensor);
    call.data.push_back(tensor.data);
  }
  for (const ScalarSpec &spec : manifest.scalars) {
    fa_scalar scalar = {};
    scalar.name = spec.name.c_str();
    scalar.type = isFloat(spec.type) ? FA_F64 : FA_I64;
    std::memcpy(&scalar.value, values++, sizeof(int64_t));
    call.scalars.push_back(scalar);
  }
  return {};
}

/// Everything that a plan depends on, addresses by their alignment alone.
void fillKey(const Call &call, PlanKey &key) {
  for (const fa_tensor &tensor : call.tensors) {
    auto address = reinterpret_cast<uintptr_t>(tensor.data);
    key.values.push_back(address ? address & alignmentBits : -1);
    for (int32_t d = 0; d < tensor.rank; ++d) {
      key.values.push_back(tensor.sizes[d]);
      key.values.push_back(tensor.strides[d]);
    }
  }
  for (const fa_scalar &scalar : call.scalars)
    key.values.push_back(scalar.value.i);
}

Status findPlan(Site &site, const Call &call, PlanKey &key,
                std::shared_ptr<Plan> &plan) {
  fillKey(call, key);
  std::lock_guard<std::mutex> guard(site.mutex);
  for (auto at = site.plans.begin(); at != site.plans.end(); ++at) {
    if (!(at->key == key))
      continue;
    site.plans.splice(site.plans.begin(), site.plans, at);
    plan = at->plan;
    return {};
  }
  PrepareRequest request{site.artifact,
                         key.device,
                         call.tensors.data(),
                         call.tensors.size(),
                         call.scalars.data(),
                         call.scalars.size(),
                         "",
                         false,
                         nullptr};
  std::unique_ptr<Plan> made;
  if (Status s = Plan::prepare(request, made))
    return s;
  plan = std::move(made);
  site.plans.push_front({std::move(key), plan});
  // Work on a GPU may still use a plan's scratch memory, so such plans stay.
  if (site.plans.size() > maxPlans &&
      site.plans.back().plan->kernel().scratch.empty())
    site.plans.pop_back();
  return {};
}

} // namespace
} // namespace fa::rt

using namespace fa::rt;

fa_status fa_embedded_launch(int64_t artifact, int64_t size, int64_t state,
                             int64_t values, int64_t count, int64_t stream) {
  return guarded([&] {
    auto *bytes = reinterpret_cast<const void *>(artifact);
    auto *slot = reinterpret_cast<std::atomic<Site *> *>(state);
    auto *list = reinterpret_cast<const int64_t *>(values);
    if (Status s = needs(bytes, "artifact"))
      return s;
    if (Status s = needs(slot, "state"))
      return s;
    if (Status s = needs(list, "values"))
      return s;
    Site *site = nullptr;
    if (Status s = openSite(bytes, static_cast<size_t>(size), *slot, site))
      return s;
    const Manifest &manifest = site->artifact->image.manifest;
    PlanKey key;
    if (Status s = findDevice(manifest, key))
      return s;
    Call call;
    if (Status s = readCall(manifest, key.device, list,
                            static_cast<size_t>(count), call))
      return s;
    std::shared_ptr<Plan> plan;
    if (Status s = findPlan(*site, call, key, plan))
      return s;
    auto *on = reinterpret_cast<void *>(stream);
    if (!on && manifest.target.kind == FA_CUDA)
      on = currentStream;
    return plan->launchWith(call.data.data(), call.data.size(), on);
  });
}

void *fa_embedded_use_stream(void *stream) {
  return std::exchange(currentStream, stream);
}

void fa_embedded_check(fa_status status) {
  if (status == FA_OK)
    return;
  std::fprintf(stderr, "fa: attention failed: %s: %s\n", fa_status_name(status),
               fa_last_error());
  std::abort();
}
