/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host's GPU runtime, as MLIR's gpu-to-llvm calls it, on the CUDA driver and
 * nothing else. As with MLIR's own one no context is current between the
 * calls, except that the environment variable GPU_CONTEXT leaves it so. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned);
int cuDeviceGet(int *, int);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxPushCurrent_v2(void *);
int cuCtxPopCurrent_v2(void **);
int cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **);
int cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuFuncSetAttribute(void *, int, int);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, void *, void **, void **);
int cuMemAlloc_v2(uint64_t *, size_t);
int cuMemFree_v2(uint64_t);
int cuMemsetD32Async(uint64_t, unsigned, size_t, void *);
int cuStreamCreate(void **, unsigned);
int cuStreamDestroy_v2(void *);
int cuStreamSynchronize(void *);

enum { jit_optimization_level = 7, max_dynamic_shared = 8, deinitialized = 4 };

static void check(int result, const char *call) {
  if (!result)
    return;
  fprintf(stderr, "%s: error %d\n", call, result);
  abort();
}
#define CHECK(name, ...) check(name(__VA_ARGS__), #name)

void gpuRuntimeEnter(void) {
  static void *context;
  if (!context) {
    int device;
    CHECK(cuInit, 0);
    CHECK(cuDeviceGet, &device, 0);
    CHECK(cuDevicePrimaryCtxRetain, &context, device);
    if (getenv("GPU_CONTEXT"))
      CHECK(cuCtxPushCurrent_v2, context);
  }
  CHECK(cuCtxPushCurrent_v2, context);
}
void gpuRuntimeLeave(void) {
  void *popped;
  CHECK(cuCtxPopCurrent_v2, &popped);
}

void *mgpuModuleLoadJIT(void *ptx, int level, size_t size) {
  int option = jit_optimization_level;
  void *value = (void *)(intptr_t)level, *module;
  (void)size;
  gpuRuntimeEnter();
  CHECK(cuModuleLoadDataEx, &module, ptx, 1, &option, &value);
  gpuRuntimeLeave();
  return module;
}

void mgpuModuleUnload(void *module) {
  /* A destructor calls this at the program's end, when the driver may have
   * gone, and the module with it. */
  if (cuInit(0) == deinitialized)
    return;
  gpuRuntimeEnter();
  CHECK(cuModuleUnload, module);
  gpuRuntimeLeave();
}

/* What this thread has launched last. */
static _Thread_local const char *kernel;
const char *gpuRuntimeKernel(void) { return kernel; }

void *mgpuModuleGetFunction(void *module, const char *name) {
  void *function;
  kernel = name;
  gpuRuntimeEnter();
  CHECK(cuModuleGetFunction, &function, module, name);
  gpuRuntimeLeave();
  return function;
}

void mgpuLaunchKernel(void *function, intptr_t grid_x, intptr_t grid_y,
                      intptr_t grid_z, intptr_t block_x, intptr_t block_y,
                      intptr_t block_z, int32_t shared, void *stream,
                      void **params, void **extra, size_t count) {
  (void)count;
  gpuRuntimeEnter();
  /* More than 48 KiB have to be asked for. */
  CHECK(cuFuncSetAttribute, function, max_dynamic_shared, shared);
  CHECK(cuLaunchKernel, function, (unsigned)grid_x, (unsigned)grid_y,
        (unsigned)grid_z, (unsigned)block_x, (unsigned)block_y,
        (unsigned)block_z, (unsigned)shared, stream, params, extra);
  gpuRuntimeLeave();
}

void *mgpuMemAlloc(uint64_t bytes, void *stream, char host_shared) {
  uint64_t memory;
  (void)stream;
  (void)host_shared;
  gpuRuntimeEnter();
  CHECK(cuMemAlloc_v2, &memory, bytes);
  gpuRuntimeLeave();
  return (void *)memory;
}

void mgpuMemset32(void *data, uint32_t value, size_t count, void *stream) {
  gpuRuntimeEnter();
  CHECK(cuMemsetD32Async, (uint64_t)data, value, count, stream);
  gpuRuntimeLeave();
}

void mgpuMemFree(void *data, void *stream) {
  (void)stream;
  gpuRuntimeEnter();
  CHECK(cuMemFree_v2, (uint64_t)data);
  gpuRuntimeLeave();
}

void *mgpuStreamCreate(void) {
  void *stream;
  gpuRuntimeEnter();
  CHECK(cuStreamCreate, &stream, 0);
  gpuRuntimeLeave();
  return stream;
}

void mgpuStreamDestroy(void *stream) {
  gpuRuntimeEnter();
  CHECK(cuStreamDestroy_v2, stream);
  gpuRuntimeLeave();
}

void mgpuStreamSynchronize(void *stream) {
  gpuRuntimeEnter();
  CHECK(cuStreamSynchronize, stream);
  gpuRuntimeLeave();
}
