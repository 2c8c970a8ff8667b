/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host's GPU runtime, as MLIR's gpu-to-llvm calls it, that says what it is
 * told to launch. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char chosen[64];

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
  /* q's address is the first one and the scale the last. */
  printf("q aligned %d, scale %g\n", *(uintptr_t *)params[0] % 16 == 0,
         *(float *)params[count - 1]);
}

void *mgpuStreamCreate(void) { return NULL; }
void mgpuStreamDestroy(void *stream) { (void)stream; }
void mgpuStreamSynchronize(void *stream) { (void)stream; }
