/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls the functions of attention.mlir on a GPU and compares with the
 * definition in double: tensors that fit tensor maps and some that do not,
 * shapes that end inside tiles, with and without a current context, again and
 * again (the kernels count tiles), and from two threads at once. */
#include "test/gpu/Inputs/launch-func/tensor.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int cuCtxPushCurrent_v2(void *);
int cuCtxPopCurrent_v2(void **);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t);
int cuMemcpyDtoH_v2(void *, uint64_t, size_t);

void *mgpuMemAlloc(uint64_t bytes, void *stream, char host_shared);
void mgpuMemFree(void *data, void *stream);
void mgpuMemset32(void *data, uint32_t value, size_t count, void *stream);
void gpuRuntimeEnter(void);
void gpuRuntimeLeave(void);
const char *gpuRuntimeKernel(void);

typedef void Attention(Tensor *q, Tensor *k, Tensor *v, Tensor *o);
Attention _mlir_ciface_plain, _mlir_ciface_grouped;

/* A shape, and the kernel that is to compute it. */
typedef struct {
  const char *name;
  int grouped;
  int64_t batches, q_heads, kv_heads, queries, keys;
  int64_t shift;      /* elements that Q lies off an aligned address */
  const char *kernel; /* that its name ends with */
} Case;

static const Case cases[] = {
    {"dense", 0, 2, 8, 8, 1024, 1024, 0, "_tma"},
    {"ends inside tiles", 0, 2, 3, 3, 1000, 777, 0, "_tma"},
    {"more queries than keys", 0, 1, 4, 4, 900, 130, 0, "_tma"},
    {"odd address", 0, 1, 4, 4, 500, 600, 1, "fa_attention"},
    {"causal, grouped", 1, 2, 16, 4, 1024, 1024, 0, "_tma"},
    {"causal, ends inside tiles", 1, 3, 8, 2, 777, 1111, 0, "_tma"},
    {"causal, odd address", 1, 1, 4, 4, 300, 350, 1, "fa_attention"},
    {"long", 0, 1, 16, 16, 16384, 16384, 0, "_tma"},
};

typedef struct {
  Case shape;
  Tensor q, k, v, o; /* on the device */
  uint16_t *host_q, *host_k, *host_v;
} Problem;

static void *upload(Tensor *tensor, int64_t shift, const uint16_t *host) {
  int64_t bytes = 2 * (elements(tensor) + shift);
  char *memory = mgpuMemAlloc((uint64_t)bytes, NULL, 0);
  tensor->allocated = memory;
  tensor->aligned = memory;
  tensor->offset = shift;
  gpuRuntimeEnter();
  if (host && cuMemcpyHtoD_v2((uint64_t)memory + 2 * (uint64_t)shift, host,
                              2 * (size_t)elements(tensor)))
    abort();
  gpuRuntimeLeave();
  return memory;
}

/* So that a launch that does nothing is found out. */
static void clear(Tensor *tensor) {
  mgpuMemset32(tensor->allocated, 0, (size_t)elements(tensor) / 2, NULL);
}

static Problem make(const Case *shape) {
  Problem p = {.shape = *shape};
  const Case *c = shape;
  p.q = layOut(c->grouped, c->batches, c->q_heads, c->queries);
  p.k = layOut(c->grouped, c->batches, c->kv_heads, c->keys);
  p.v = p.k;
  p.o = p.q;
  p.host_q = randomElements(&p.q, c->grouped, 1);
  p.host_k = randomElements(&p.k, c->grouped, 2);
  p.host_v = randomElements(&p.v, c->grouped, 3);
  upload(&p.q, c->shift, p.host_q);
  upload(&p.k, 0, p.host_k);
  upload(&p.v, 0, p.host_v);
  upload(&p.o, 0, NULL);
  clear(&p.o);
  return p;
}

static void destroy(Problem *p) {
  Tensor *tensors[] = {&p->q, &p->k, &p->v, &p->o};
  for (int i = 0; i < 4; ++i)
    mgpuMemFree(tensors[i]->allocated, NULL);
  free(p->host_q);
  free(p->host_k);
  free(p->host_v);
}

static void launch(Problem *p) {
  (p->shape.grouped ? _mlir_ciface_grouped : _mlir_ciface_plain)(&p->q, &p->k,
                                                                 &p->v, &p->o);
}

static uint16_t *download(const Tensor *tensor) {
  size_t bytes = 2 * (size_t)elements(tensor);
  uint16_t *host = malloc(bytes);
  gpuRuntimeEnter();
  if (cuMemcpyDtoH_v2(host, (uint64_t)tensor->allocated, bytes))
    abort();
  gpuRuntimeLeave();
  return host;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ends(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

static int failures;
static void verdict(int good, const char *format, ...) {
  va_list values;
  va_start(values, format);
  printf(good ? "PASS " : "FAIL ");
  vprintf(format, values);
  printf("\n");
  va_end(values);
  failures += !good;
}

/* Launches again and again, and tells the time with all of the host's work. */
static void repeat(Problem *p, const uint16_t *first) {
  enum { repeats = 10 };
  clear(&p->o);
  double start = seconds();
  for (int i = 0; i < repeats; ++i)
    launch(p);
  double each = (seconds() - start) / repeats;
  uint16_t *again = download(&p->o);
  double flops = 4.0 * (double)(elements(&p->q) * p->shape.keys);
  if (p->shape.grouped)
    flops /= 2;
  verdict(!memcmp(first, again, 2 * (size_t)elements(&p->o)),
          "%s: the same bits %d times more, %.3f ms each, %.0f TFLOP/s",
          p->shape.name, repeats, 1e3 * each, 1e-12 * flops / each);
  free(again);
}

static void run(const Case *shape) {
  Problem p = make(shape);
  launch(&p);
  const char *kernel = gpuRuntimeKernel();
  verdict(ends(kernel, shape->kernel), "%s: launches %s", shape->name, kernel);
  uint16_t *first = download(&p.o);
  int grouped = shape->grouped;
  double error = relativeError(&p.q, &p.k, grouped, grouped ? 0.25 : 0.125,
                               p.host_q, p.host_k, p.host_v, first);
  verdict(error < (grouped ? 4e-3 : 6e-4), "%s: relative error %.2e",
          shape->name, error);
  repeat(&p, first);
  free(first);
  destroy(&p);
}

static void *launchOften(void *problem) {
  for (int i = 0; i < 50; ++i)
    launch(problem);
  return NULL;
}

/* Launches of two threads on their own results. */
static void runThreads(void) {
  Problem one = make(&cases[0]), two = make(&cases[0]);
  launch(&one);
  uint16_t *expected = download(&one.o);
  clear(&one.o);
  pthread_t thread;
  if (pthread_create(&thread, NULL, launchOften, &two))
    abort();
  launchOften(&one);
  pthread_join(thread, NULL);
  uint16_t *mine = download(&one.o), *other = download(&two.o);
  size_t bytes = 2 * (size_t)elements(&one.o);
  verdict(!memcmp(expected, mine, bytes) && !memcmp(expected, other, bytes),
          "two threads: the same bits of both");
  free(expected);
  free(mine);
  free(other);
  destroy(&one);
  destroy(&two);
}

int main(void) {
  enum { count = sizeof cases / sizeof cases[0] };
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a line is not lost by an abort */
  for (int i = 0; i < count; ++i)
    run(&cases[i]);
  printf("with a current context:\n");
  gpuRuntimeEnter();
  run(&cases[0]);
  gpuRuntimeLeave();
  runThreads();
  printf("%s, %d of the checks failed\n", failures ? "FAIL" : "PASS", failures);
  return failures != 0;
}
