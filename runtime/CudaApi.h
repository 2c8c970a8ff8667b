// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the CUDA driver's interface that the runtime uses, so that no
// toolkit is needed to build it. Names and numbers are those of the driver's
// public documentation; entry points are looked up by name at run time.
#ifndef FA_RUNTIME_CUDAAPI_H
#define FA_RUNTIME_CUDAAPI_H

#include <cstddef>
#include <cstdint>

namespace fa::rt::cuda {

using Result = int;
using Device = int;
using DevicePointer = uint64_t;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;

enum : Result {
  Success = 0,
  ErrorInvalidValue = 1,
  ErrorOutOfMemory = 2,
  ErrorNoDevice = 100,
  ErrorInvalidDevice = 101,
  ErrorInvalidContext = 201,
  ErrorNoBinaryForGpu = 209,
  ErrorInvalidPtx = 218,
  ErrorUnsupportedPtxVersion = 222,
  ErrorSystemDriverMismatch = 803,
  ErrorCompatNotSupported = 804,
  ErrorCaptureFirst = 900, // 900 to 908 speak of stream capture
  ErrorCaptureImplicit = 906,
  ErrorCaptureLast = 908
};

enum DeviceAttribute : int {
  AttributeMultiprocessors = 16,
  AttributeMajor = 75,
  AttributeMinor = 76,
  AttributeSharedMemoryOptIn = 97
};

enum PointerAttribute : int {
  PointerMemoryType = 2,
  PointerIsManaged = 8,
  PointerDeviceOrdinal = 9
};
enum : unsigned { MemoryTypeDevice = 2 };

enum FunctionAttribute : int { FunctionMaxDynamicShared = 8 };

enum JitOption : int {
  JitErrorLog = 5,
  JitErrorLogBytes = 6,
  JitSplitCompile = 34 // since CUDA 13.0: how many threads, 0 for all
};

enum : int { CaptureNone = 0, CaptureActive = 1 };
enum : int { CaptureModeRelaxed = 2 };
enum : unsigned { StreamNonBlocking = 1 };

enum TensorMapType : int {
  TensorMapF16 = 6,
  TensorMapF32 = 7,
  TensorMapBF16 = 9
};
enum : int { TensorMapInterleaveNone = 0 };
enum TensorMapSwizzle : int {
  TensorMapSwizzleNone = 0,
  TensorMapSwizzle32 = 1,
  TensorMapSwizzle64 = 2,
  TensorMapSwizzle128 = 3
};
enum : int { TensorMapPromoteTo256 = 3 };
enum : int { TensorMapFillZeros = 0 };

/// A CUtensorMap.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};
/// Of addresses and strides, in bytes.
constexpr int64_t tensorMapAlignment = 16;
constexpr int64_t tensorMapStrideEnd = int64_t(1) << 40;
constexpr int64_t tensorMapMaxSize = int64_t(1) << 32;

/// The stream handle that stands for each thread's own default stream.
constexpr uintptr_t perThreadStream = 2;

/// X(member, symbol, parameters): entry points that every supported driver has.
#define FA_CUDA_ENTRIES(X)                                                     \
  X(init, cuInit, (unsigned))                                                  \
  X(driverVersion, cuDriverGetVersion, (int *))                                \
  X(errorName, cuGetErrorName, (Result, const char **))                        \
  X(errorString, cuGetErrorString, (Result, const char **))                    \
  X(deviceCount, cuDeviceGetCount, (int *))                                    \
  X(deviceGet, cuDeviceGet, (Device *, int))                                   \
  X(deviceName, cuDeviceGetName, (char *, int, Device))                        \
  X(devicePciBusId, cuDeviceGetPCIBusId, (char *, int, Device))                \
  X(deviceAttribute, cuDeviceGetAttribute, (int *, int, Device))               \
  X(primaryRetain, cuDevicePrimaryCtxRetain, (Context *, Device))              \
  X(primaryRelease, cuDevicePrimaryCtxRelease_v2, (Device))                    \
  X(contextSet, cuCtxSetCurrent, (Context))                                    \
  X(contextGet, cuCtxGetCurrent, (Context *))                                  \
  X(contextDevice, cuCtxGetDevice, (Device *))                                 \
  X(contextPush, cuCtxPushCurrent_v2, (Context))                               \
  X(contextPop, cuCtxPopCurrent_v2, (Context *))                               \
  X(contextSynchronize, cuCtxSynchronize, ())                                  \
  X(moduleLoad, cuModuleLoadDataEx,                                            \
    (Module *, const void *, unsigned, int *, void **))                        \
  X(moduleUnload, cuModuleUnload, (Module))                                    \
  X(moduleFunction, cuModuleGetFunction, (Function *, Module, const char *))   \
  X(functionSet, cuFuncSetAttribute, (Function, int, int))                     \
  X(launch, cuLaunchKernel,                                                    \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
     unsigned, Stream, void **, void **))                                      \
  X(memoryAlloc, cuMemAlloc_v2, (DevicePointer *, size_t))                     \
  X(memoryFree, cuMemFree_v2, (DevicePointer))                                 \
  X(copyToDevice, cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))      \
  X(copyToHost, cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))              \
  X(copyOnDevice, cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t))     \
  X(fill, cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))               \
  X(fillAsync, cuMemsetD8Async,                                                \
    (DevicePointer, unsigned char, size_t, Stream))                            \
  X(pointerAttribute, cuPointerGetAttribute, (void *, int, DevicePointer))     \
  X(streamCreate, cuStreamCreate, (Stream *, unsigned))                        \
  X(streamDestroy, cuStreamDestroy_v2, (Stream))                               \
  X(streamSynchronize, cuStreamSynchronize, (Stream))                          \
  X(streamIsCapturing, cuStreamIsCapturing, (Stream, int *))                   \
  X(exchangeCaptureMode, cuThreadExchangeStreamCaptureMode, (int *))           \
  X(eventCreate, cuEventCreate, (Event *, unsigned))                           \
  X(eventDestroy, cuEventDestroy_v2, (Event))                                  \
  X(eventRecord, cuEventRecord, (Event, Stream))                               \
  X(eventSynchronize, cuEventSynchronize, (Event))                             \
  X(eventElapsed, cuEventElapsedTime, (float *, Event, Event))

/// Those that older drivers lack; null there.
#define FA_CUDA_OPTIONAL_ENTRIES(X)                                            \
  X(contextId, cuCtxGetId, (Context, unsigned long long *))                    \
  X(captureInfo, cuStreamGetCaptureInfo_v2,                                    \
    (Stream, int *, uint64_t *, void *, void *, size_t *))                     \
  X(tensorMapEncode, cuTensorMapEncodeTiled,                                   \
    (TensorMap *, int, unsigned, void *, const uint64_t *, const uint64_t *,   \
     const uint32_t *, const uint32_t *, int, int, int, int))

struct Api {
#define FA_CUDA_MEMBER(member, symbol, parameters)                             \
  Result(*member) parameters = nullptr;
  FA_CUDA_ENTRIES(FA_CUDA_MEMBER)
  FA_CUDA_OPTIONAL_ENTRIES(FA_CUDA_MEMBER)
#undef FA_CUDA_MEMBER
};

} // namespace fa::rt::cuda

#endif
