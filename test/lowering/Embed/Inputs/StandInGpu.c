/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host's GPU runtime, as MLIR's gpu-to-llvm calls it, that says what it is
 * told to launch. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char chosen[64];
static uint32_t memory[64]; /* one allocation at a time */
static size_t words;

void *mgpuModuleLoadJIT(void *text, int level, size_t size) {
  (void)level;
  (void)size;
  printf("load %s\n", strstr(text, ".target sm_80") ? "sm_80" : "?");
  return text;
}
void *mgpuModuleLoad(void *text, size_t size) {
  return mgpuModuleLoadJIT(text, 0, size);
}
void mgpuModuleUnload(void *module) { (void)module; }

void *mgpuModuleGetFunction(void *module, const char *name) {
  /* what the PTX does not have cannot be launched */
  snprintf(chosen, sizeof chosen, ".entry %s(", name);
  return strstr(module, chosen) ? (void *)name : NULL;
}

void mgpuLaunchKernel(const char *function, intptr_t grid_x, intptr_t grid_y,
                      intptr_t grid_z, intptr_t block_x, intptr_t block_y,
                      intptr_t block_z, int32_t shared, void *stream,
                      void **params, void **extra, size_t count) {
  (void)stream;
  (void)extra;
  printf("launch %s grid %ld %ld %ld block %ld %ld %ld shared %d params %zu\n",
         function ? function : "nothing", (long)grid_x, (long)grid_y,
         (long)grid_z, (long)block_x, (long)block_y, (long)block_z, shared > 0,
         count);
  if (words) { /* the scratch memory's address is the second one */
    const uint32_t *scratch = *(const uint32_t **)params[1];
    printf("scratch is %s, of %x and %x\n",
           scratch == memory ? "the memory" : "something else", scratch[0],
           scratch[words - 1]);
  }
  /* q's address is the first one and the scale the last. */
  printf("q aligned %d, scale %g\n", *(uintptr_t *)params[0] % 16 == 0,
         *(float *)params[count - 1]);
}

void *mgpuMemAlloc(uint64_t bytes, void *stream, char host_shared) {
  (void)stream;
  (void)host_shared;
  words = bytes / 4;
  printf("allocate %lu\n", (unsigned long)bytes);
  return words && !(bytes % 4) && bytes <= sizeof memory ? memory : NULL;
}
void mgpuMemset32(void *data, uint32_t value, size_t count, void *stream) {
  (void)stream;
  for (size_t i = 0; i < count; ++i)
    ((uint32_t *)data)[i] = value;
}
void mgpuMemFree(void *data, void *stream) {
  (void)stream;
  printf("free %s\n", data == memory ? "it" : "something else");
  words = 0;
}

void *mgpuStreamCreate(void) { return NULL; }
void mgpuStreamDestroy(void *stream) { (void)stream; }
void mgpuStreamSynchronize(void *stream) { (void)stream; }
