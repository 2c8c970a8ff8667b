/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches an artefact from C99, without MLIR: launch ARTEFACT. It is one of
 * attention-gqa-dynamic.mlir, for the CPU or a GPU. runtime/README.md shows the
 * marked lines. */
#include "runtime/fa_runtime.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 2, HEADS = 4, KV_HEADS = 2, QUERIES = 5, KEYS = 9, DIM = 128 };
enum { Q, K, V, LENGTHS, O, LSE, TENSORS };

static uint16_t q[BATCH * HEADS * QUERIES * DIM],
    o[BATCH * HEADS * QUERIES * DIM];
static uint16_t k[BATCH * KV_HEADS * KEYS * DIM],
    v[BATCH * KV_HEADS * KEYS * DIM];
static int32_t lengths[BATCH] = {KEYS, 6};
static float lse[BATCH * HEADS * QUERIES];

static void check(fa_status status) {
  if (status == FA_OK)
    return;
  fprintf(stderr, "%s: %s\n", fa_status_name(status), fa_last_error());
  exit(1);
}

/* bf16 is the upper half of a float. */
static float widen(uint16_t x) {
  uint32_t bits = (uint32_t)x << 16;
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static void fill(uint16_t *data, size_t count) {
  static uint32_t state = 1;
  size_t i;
  for (i = 0; i < count; ++i) {
    float value;
    uint32_t bits;
    state = state * 1664525u + 1013904223u;
    value = (float)(state >> 8) / 8388608.0f - 1.0f;
    memcpy(&bits, &value, sizeof(bits));
    data[i] = (uint16_t)(bits >> 16);
  }
}

/* A row-major tensor of host memory, with a copy on the device where that is
 * another memory. */
static fa_tensor describe(const char *name, void *host, fa_type type,
                          fa_device device, int32_t rank,
                          const int64_t *sizes) {
  size_t bytes = type == FA_BF16 ? 2 : 4;
  fa_tensor tensor = {0};
  int32_t d;
  tensor.name = name;
  tensor.type = type;
  tensor.rank = rank;
  tensor.device = device;
  for (d = rank - 1; d >= 0; --d) {
    tensor.sizes[d] = sizes[d];
    tensor.strides[d] =
        d == rank - 1 ? 1 : tensor.strides[d + 1] * tensor.sizes[d + 1];
    bytes *= (size_t)sizes[d];
  }
  tensor.data = host;
  if (device.kind == FA_CUDA) {
    fa_device cpu = {FA_CPU, 0};
    check(fa_memory_alloc(device, bytes, &tensor.data));
    check(fa_memory_copy(device, tensor.data, cpu, host, bytes));
  }
  return tensor;
}

static void fetch(const fa_tensor *tensor, void *host, size_t bytes) {
  fa_device cpu = {FA_CPU, 0};
  if (tensor->device.kind == FA_CUDA)
    check(fa_memory_copy(cpu, host, tensor->device, tensor->data, bytes));
}

/* The largest error of one row of o, by the definition in double. The mask is
 * causal and aligned to the last query and the last key that exist. */
static double row_error(int b, int h, int i) {
  const uint16_t *qr = q + ((b * HEADS + h) * QUERIES + i) * DIM;
  const uint16_t *or = o + ((b * HEADS + h) * QUERIES + i) * DIM;
  int first = (b * KV_HEADS + h / (HEADS / KV_HEADS)) * KEYS;
  int kept = i + lengths[b] - QUERIES + 1, j, d;
  double p[KEYS], total = 0, worst = 0;
  for (j = 0; j < kept; ++j) {
    double score = 0;
    for (d = 0; d < DIM; ++d)
      score += (double)widen(qr[d]) * widen(k[(first + j) * DIM + d]);
    p[j] = exp(score / sqrt((double)DIM));
    total += p[j];
  }
  for (d = 0; d < DIM; ++d) {
    double expected = 0;
    for (j = 0; j < kept; ++j)
      expected += p[j] / total * widen(v[(first + j) * DIM + d]);
    worst = fmax(worst, fabs(expected - widen(or[d])));
  }
  return fmax(worst, fabs(log(total) - lse[(b * HEADS + h) * QUERIES + i]));
}

int main(int argc, char **argv) {
  const int64_t q_sizes[] = {BATCH, HEADS, QUERIES, DIM};
  const int64_t kv_sizes[] = {BATCH, KV_HEADS, KEYS, DIM};
  fa_target_info target;
  fa_tensor tensors[TENSORS];
  const char *note;
  double worst = 0;
  int row;
  if (argc != 2) {
    fprintf(stderr, "usage: launch ARTEFACT\n");
    return 2;
  }
  fill(q, sizeof(q) / 2);
  fill(k, sizeof(k) / 2);
  fill(v, sizeof(v) / 2);

  /* [open] */
  fa_artifact *artifact;
  check(fa_artifact_open(argv[1], &artifact));
  check(fa_artifact_target(artifact, &target));
  fa_device device = {target.kind, 0};
  check(fa_device_use(device)); /* makes its context current */
  /* [open end] */

  tensors[Q] = describe("q", q, FA_BF16, device, 4, q_sizes);
  tensors[K] = describe("k", k, FA_BF16, device, 4, kv_sizes);
  tensors[V] = describe("v", v, FA_BF16, device, 4, kv_sizes);
  tensors[LENGTHS] =
      describe("kv_lengths", lengths, FA_I32, device, 1, q_sizes);
  tensors[O] = describe("o", o, FA_BF16, device, 4, q_sizes);
  tensors[LSE] = describe("lse", lse, FA_F32, device, 3, q_sizes);

  /* [launch] */
  fa_plan *plan; /* for these sizes and strides; launch it often */
  check(fa_prepare(artifact, device, tensors, TENSORS, NULL, 0, NULL, &plan));
  check(fa_launch(plan, NULL)); /* on the default stream */
  /* [launch end] */

  check(fa_plan_note(plan, &note));
  if (*note)
    printf("note: %s\n", note);
  fetch(&tensors[O], o, sizeof(o)); /* waits for the kernel */
  fetch(&tensors[LSE], lse, sizeof(lse));
  for (row = 0; row < BATCH * HEADS * QUERIES; ++row)
    worst = fmax(worst, row_error(row / (HEADS * QUERIES),
                                  row / QUERIES % HEADS, row % QUERIES));
  printf("%s on %s, largest error %.1e\n", target.name, target.chip, worst);
  if (device.kind == FA_CUDA)
    for (row = 0; row < TENSORS; ++row)
      check(fa_memory_free(device, tensors[row].data));
  check(fa_plan_destroy(plan));
  check(fa_artifact_close(artifact));
  check(fa_device_release(device));
  return worst < 5e-3 ? 0 : 1;
}
