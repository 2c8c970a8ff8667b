// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for the CUDA driver, so that the runtime's way to a device and
// each of its failures is tested without a GPU. Device memory is host memory; a
// launch is recorded, and on demand computed by the C kernel of
// Inputs/attention.c.
#include "test/unit/StandInDriver.h"

#include "runtime/CudaApi.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace fa::rt::cuda;

extern "C" void attention(void **params, int64_t tile);

namespace fa::rt::cuda {
struct ContextObject {
  int device;
  unsigned long long id;
  int holders;
};
struct ModuleObject {
  std::string text;
};
struct FunctionObject {
  std::string name;
};
struct StreamObject {
  int unused;
};
struct EventObject {
  int unused;
};
} // namespace fa::rt::cuda

namespace {

struct Failing {
  int calls;
  Result result;
};

struct State {
  std::recursive_mutex mutex;
  std::map<std::string, int64_t> facts;
  std::map<std::string, Failing> failing;
  std::map<std::string, int> counts;
  std::vector<StandInLaunch> launches;
  std::vector<StandInTensorMap> tensorMaps;
  Stream filledOn = nullptr;
  std::map<uintptr_t, size_t> memory; // address -> bytes
  size_t modules = 0;
  std::map<std::string, FunctionObject> functions;
  ContextObject primary[8];
  int sharedOptedIn = 0, contextsMade = 0;

  State() { reset(); }

  void reset() {
    for (auto &[address, bytes] : memory)
      std::free(reinterpret_cast<void *>(address));
    memory.clear();
    failing.clear();
    counts.clear();
    launches.clear();
    tensorMaps.clear();
    filledOn = nullptr;
    functions.clear();
    sharedOptedIn = contextsMade = 0;
    static unsigned long long nextId = 1;
    for (int i = 0; i < 8; ++i)
      primary[i] = {i, nextId++, 0};
    facts = {{"devices", 1},
             {"major", 8},
             {"minor", 0},
             {"driver_version", 13000},
             {"shared_optin", 167936},
             {"capturing", 0},
             {"capture_id", 1},
             {"legacy_blocked", 0},
             {"memory", int64_t(1) << 40},
             {"units", 4},
             {"param_count", 0},
             {"run", 0}};
    if (const char *text = std::getenv("FA_STANDIN"))
      readEnvironment(text);
  }

  /// NAME=N sets a fact, fail_ENTRY=NTH:RESULT a failure.
  void readEnvironment(const std::string &text) {
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.find(',', at), text.size());
      std::string item = text.substr(at, end - at);
      size_t equals = item.find('=');
      std::string name = item.substr(0, equals),
                  value = item.substr(equals + 1);
      if (name.rfind("fail_", 0) == 0)
        failing[name.substr(5)] = {
            std::atoi(value.c_str()),
            std::atoi(value.c_str() + value.find(':') + 1)};
      else
        facts[name] = std::atoll(value.c_str());
      at = end + 1;
    }
  }

  /// Counts a call and says whether it is to fail.
  Result enter(const char *entry) {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    ++counts[entry];
    auto it = failing.find(entry);
    if (it == failing.end() || --it->second.calls != 0)
      return Success;
    Result result = it->second.result;
    failing.erase(it);
    return result;
  }
};

State &state() {
  static State *state = new State();
  return *state;
}

thread_local std::vector<Context> contexts; // the top is current

/// Whether an address lies in device memory.
bool isDevice(uintptr_t address) {
  auto &memory = state().memory;
  auto it = memory.upper_bound(address);
  if (it == memory.begin())
    return false;
  --it;
  return address < it->first + it->second;
}

} // namespace

#define ENTER(name)                                                            \
  if (Result result = state().enter(#name))                                    \
    return result;                                                             \
  std::lock_guard<std::recursive_mutex> lock(state().mutex)

extern "C" {

void standin_reset() { state().reset(); }
void standin_set(const char *fact, int64_t value) {
  state().facts[fact] = value;
}
void standin_fail(const char *entry, int nth, int result) {
  state().failing[entry] = {nth, result};
}
int standin_count(const char *entry) { return state().counts[entry]; }
size_t standin_launches() { return state().launches.size(); }
StandInLaunch standin_launch(size_t index) {
  return state().launches.at(index);
}
size_t standin_tensor_maps() { return state().tensorMaps.size(); }
StandInTensorMap standin_tensor_map(size_t index) {
  return state().tensorMaps.at(index);
}
void *standin_filled_on() { return state().filledOn; }
size_t standin_live_memory() { return state().memory.size(); }
size_t standin_live_modules() { return state().modules; }
int standin_contexts_made() { return state().contextsMade; }
int standin_shared_opted_in() { return state().sharedOptedIn; }

Result cuInit(unsigned) {
  ENTER(cuInit);
  return Success;
}

Result cuDriverGetVersion(int *version) {
  ENTER(cuDriverGetVersion);
  *version = static_cast<int>(state().facts["driver_version"]);
  return Success;
}

Result cuGetErrorName(Result result, const char **name) {
  static const std::map<Result, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {218, "CUDA_ERROR_INVALID_PTX"},
      {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}};
  auto it = names.find(result);
  *name = it == names.end() ? nullptr : it->second;
  return it == names.end() ? ErrorInvalidValue : Success;
}

Result cuGetErrorString(Result, const char **text) {
  *text = "as the test asked";
  return Success;
}

Result cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount);
  *count = static_cast<int>(state().facts["devices"]);
  return Success;
}

Result cuDeviceGet(Device *device, int index) {
  ENTER(cuDeviceGet);
  *device = index;
  return Success;
}

Result cuDeviceGetName(char *name, int size, Device) {
  ENTER(cuDeviceGetName);
  std::strncpy(name, "Stand-in GPU", size);
  return Success;
}

Result cuDeviceGetPCIBusId(char *name, int size, Device) {
  ENTER(cuDeviceGetPCIBusId);
  std::strncpy(name, "0000:00:00.0", size);
  return Success;
}

Result cuDeviceGetAttribute(int *value, int attribute, Device) {
  ENTER(cuDeviceGetAttribute);
  static const std::map<int, const char *> names = {
      {AttributeMultiprocessors, "units"},
      {AttributeMajor, "major"},
      {AttributeMinor, "minor"},
      {AttributeSharedMemoryOptIn, "shared_optin"}};
  auto it = names.find(attribute);
  *value = it == names.end() ? 4 : static_cast<int>(state().facts[it->second]);
  return Success;
}

Result cuDevicePrimaryCtxRetain(Context *context, Device device) {
  ENTER(cuDevicePrimaryCtxRetain);
  *context = &state().primary[device];
  state().contextsMade += (*context)->holders++ == 0;
  return Success;
}

Result cuDevicePrimaryCtxRelease_v2(Device device) {
  ENTER(cuDevicePrimaryCtxRelease_v2);
  int &holders = state().primary[device].holders;
  holders = std::max(holders - 1, 0); // a reset may have come in between
  return Success;
}

Result cuDevicePrimaryCtxGetState(Device device, unsigned *flags, int *active) {
  ENTER(cuDevicePrimaryCtxGetState);
  *flags = 0;
  *active = state().primary[device].holders > 0;
  return Success;
}

Result cuCtxSetCurrent(Context context) {
  ENTER(cuCtxSetCurrent);
  contexts.clear();
  if (context)
    contexts.push_back(context);
  return Success;
}

Result cuCtxGetCurrent(Context *context) {
  ENTER(cuCtxGetCurrent);
  *context = contexts.empty() ? nullptr : contexts.back();
  return Success;
}

Result cuCtxGetDevice(Device *device) {
  ENTER(cuCtxGetDevice);
  if (contexts.empty())
    return ErrorInvalidContext;
  *device = contexts.back()->device;
  return Success;
}

Result cuCtxGetId(Context context, unsigned long long *id) {
  ENTER(cuCtxGetId);
  *id = context->id;
  return Success;
}

Result cuCtxPushCurrent_v2(Context context) {
  ENTER(cuCtxPushCurrent_v2);
  contexts.push_back(context);
  return Success;
}

Result cuCtxPopCurrent_v2(Context *context) {
  ENTER(cuCtxPopCurrent_v2);
  *context = contexts.back();
  contexts.pop_back();
  return Success;
}

Result cuCtxSynchronize() {
  ENTER(cuCtxSynchronize);
  return Success;
}

Result cuModuleLoadDataEx(Module *module, const void *image, unsigned count,
                          int *options, void **values) {
  char *log = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == JitErrorLog)
      log = static_cast<char *>(values[i]);
    if (options[i] == JitErrorLogBytes)
      size = reinterpret_cast<size_t>(values[i]);
    if (options[i] != JitSplitCompile)
      continue;
    if (state().facts["driver_version"] < 13000)
      return ErrorInvalidValue;
    if (Result result = state().enter("CU_JIT_SPLIT_COMPILE"))
      return result;
  }
  if (log && size)
    log[0] = 0;
  if (Result result = state().enter("cuModuleLoadDataEx")) {
    if (result == ErrorInvalidPtx && log)
      std::strncpy(log, "ptxas fatal: line 7 is wrong", size);
    return result;
  }
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  *module = new ModuleObject{static_cast<const char *>(image)};
  ++state().modules;
  return Success;
}

Result cuModuleUnload(Module module) {
  ENTER(cuModuleUnload);
  delete module;
  --state().modules;
  return Success;
}

Result cuModuleGetFunction(Function *function, Module, const char *name) {
  ENTER(cuModuleGetFunction);
  FunctionObject &object = state().functions[name];
  object.name = name;
  *function = &object;
  return Success;
}

Result cuFuncSetAttribute(Function, int attribute, int value) {
  ENTER(cuFuncSetAttribute);
  if (attribute != FunctionMaxDynamicShared)
    return ErrorInvalidValue;
  state().sharedOptedIn = value;
  return Success;
}

Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned shared, Stream stream,
                      void **params, void **extra) {
  ENTER(cuLaunchKernel);
  if (gridX == 0 || gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1 ||
      extra)
    return ErrorInvalidValue;
  StandInLaunch launch = {};
  std::strncpy(launch.kernel, function->name.c_str(),
               sizeof(launch.kernel) - 1);
  launch.grid = gridX;
  launch.block = blockX;
  launch.shared = shared;
  launch.stream = stream;
  launch.context = contexts.empty() ? nullptr : contexts.back();
  for (int64_t i = 0; i < state().facts["param_count"] && i < 16; ++i)
    std::memcpy(&launch.params[i], params[i], 8);
  state().launches.push_back(launch);
  for (unsigned tile = 0; state().facts["run"] && tile < gridX; ++tile)
    attention(params, tile);
  return Success;
}

Result cuTensorMapEncodeTiled(TensorMap *map, int type, unsigned rank,
                              void *address, const uint64_t *sizes,
                              const uint64_t *strides, const uint32_t *box,
                              const uint32_t *elementStrides, int interleave,
                              int swizzle, int promotion, int fill) {
  ENTER(cuTensorMapEncodeTiled);
  auto base = reinterpret_cast<uintptr_t>(address);
  if (contexts.empty())
    return ErrorInvalidContext;
  if (reinterpret_cast<uintptr_t>(map) % 64 || base % 16 || rank < 1 ||
      rank > 5)
    return ErrorInvalidValue;
  StandInTensorMap record = {};
  record.type = type;
  record.rank = rank;
  record.address = base;
  record.interleave = interleave;
  record.swizzle = swizzle;
  record.promotion = promotion;
  record.fill = fill;
  for (unsigned i = 0; i < rank; ++i) {
    uint64_t stride = i ? strides[i - 1] : 0;
    if (sizes[i] < 1 || sizes[i] > uint64_t(1) << 32 || box[i] < 1 ||
        box[i] > 256 || stride % 16 || stride >> 40)
      return ErrorInvalidValue;
    record.sizes[i] = sizes[i];
    record.box[i] = box[i];
    record.element_strides[i] = elementStrides[i];
    if (i)
      record.strides[i - 1] = stride;
  }
  uint64_t index = state().tensorMaps.size();
  std::memcpy(map->bytes, &index, sizeof(index));
  state().tensorMaps.push_back(record);
  return Success;
}

Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  ENTER(cuMemAlloc_v2);
  if (static_cast<int64_t>(bytes) > state().facts["memory"])
    return ErrorOutOfMemory;
  void *memory = nullptr;
  if (::posix_memalign(&memory, 256, bytes) != 0)
    return ErrorOutOfMemory;
  *pointer = reinterpret_cast<uintptr_t>(memory);
  state().memory[*pointer] = bytes;
  return Success;
}

Result cuMemFree_v2(DevicePointer pointer) {
  ENTER(cuMemFree_v2);
  if (!state().memory.erase(pointer))
    return ErrorInvalidValue;
  std::free(reinterpret_cast<void *>(pointer));
  return Success;
}

Result cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  ENTER(cuMemcpyHtoD_v2);
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return Success;
}

Result cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  ENTER(cuMemcpyDtoH_v2);
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return Success;
}

Result cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, size_t bytes) {
  ENTER(cuMemcpyDtoD_v2);
  std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
               bytes);
  return Success;
}

Result cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t bytes) {
  ENTER(cuMemsetD8_v2);
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return Success;
}

Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes,
                       Stream stream) {
  ENTER(cuMemsetD8Async);
  state().filledOn = stream;
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return Success;
}

Result cuMemsetD32Async(DevicePointer to, unsigned value, size_t count,
                        Stream stream) {
  ENTER(cuMemsetD32Async);
  state().filledOn = stream;
  std::fill_n(reinterpret_cast<unsigned *>(to), count, value);
  return Success;
}

Result cuPointerGetAttribute(void *value, int attribute,
                             DevicePointer pointer) {
  ENTER(cuPointerGetAttribute);
  if (!isDevice(pointer))
    return ErrorInvalidValue;
  if (attribute == PointerMemoryType)
    *static_cast<unsigned *>(value) = MemoryTypeDevice;
  else if (attribute == PointerIsManaged)
    *static_cast<unsigned *>(value) = 0;
  else
    *static_cast<int *>(value) =
        static_cast<int>(state().facts["pointer_device"]);
  return Success;
}

Result cuStreamCreate(Stream *stream, unsigned) {
  ENTER(cuStreamCreate);
  *stream = new StreamObject{};
  return Success;
}

Result cuStreamDestroy_v2(Stream stream) {
  ENTER(cuStreamDestroy_v2);
  delete stream;
  return Success;
}

Result cuStreamSynchronize(Stream) {
  ENTER(cuStreamSynchronize);
  return Success;
}

Result cuStreamIsCapturing(Stream stream, int *status) {
  ENTER(cuStreamIsCapturing);
  if (!stream && state().facts["legacy_blocked"])
    return ErrorCaptureImplicit;
  *status = stream ? static_cast<int>(state().facts["capturing"]) : CaptureNone;
  return Success;
}

Result cuStreamGetCaptureInfo_v2(Stream stream, int *status, uint64_t *id,
                                 void *, void *, size_t *) {
  ENTER(cuStreamGetCaptureInfo_v2);
  *status = stream ? static_cast<int>(state().facts["capturing"]) : CaptureNone;
  *id = state().facts["capture_id"];
  return Success;
}

Result cuThreadExchangeStreamCaptureMode(int *mode) {
  ENTER(cuThreadExchangeStreamCaptureMode);
  thread_local int current = 0;
  std::swap(current, *mode);
  return Success;
}

Result cuEventCreate(Event *event, unsigned) {
  ENTER(cuEventCreate);
  *event = new EventObject{};
  return Success;
}

Result cuEventDestroy_v2(Event event) {
  ENTER(cuEventDestroy_v2);
  delete event;
  return Success;
}

Result cuEventRecord(Event, Stream) {
  ENTER(cuEventRecord);
  return Success;
}

Result cuEventSynchronize(Event) {
  ENTER(cuEventSynchronize);
  return Success;
}

Result cuEventElapsedTime(float *milliseconds, Event, Event) {
  ENTER(cuEventElapsedTime);
  *milliseconds = 0.5f;
  return Success;
}

} // extern "C"
