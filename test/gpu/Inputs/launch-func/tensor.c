/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/gpu/Inputs/launch-func/tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Tensor layOut(int grouped, int64_t batches, int64_t heads, int64_t rows) {
  int64_t columns = grouped ? 64 : 128;
  int64_t middle[] = {grouped ? rows : heads, grouped ? heads : rows};
  Tensor tensor = {.sizes = {batches, middle[0], middle[1], columns}};
  int64_t stride = 1;
  for (int d = 3; d >= 0; --d) {
    tensor.strides[d] = stride;
    stride *= tensor.sizes[d];
  }
  return tensor;
}

int64_t elements(const Tensor *tensor) {
  return tensor->strides[0] * tensor->sizes[0];
}

static uint16_t encode(float x, int bf16) {
  if (!bf16) {
    _Float16 half = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
  }
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static double decode(uint16_t bits, int bf16) {
  if (!bf16) {
    _Float16 half;
    memcpy(&half, &bits, sizeof bits);
    return (double)half;
  }
  uint32_t wide = (uint32_t)bits << 16;
  float x;
  memcpy(&x, &wide, sizeof x);
  return x;
}

uint16_t *randomElements(const Tensor *tensor, int grouped, unsigned seed) {
  int64_t count = elements(tensor);
  uint16_t *values = malloc(2 * (size_t)count);
  uint64_t state = seed;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    values[i] = encode((float)(state >> 40) / (1 << 23) - 1, grouped);
  }
  return values;
}

/* Where the row `row` of a head begins. */
static int64_t rowAt(const Tensor *tensor, int grouped, int64_t batch,
                     int64_t head, int64_t row) {
  int head_dim = grouped ? 2 : 1, row_dim = grouped ? 1 : 2;
  return batch * tensor->strides[0] + head * tensor->strides[head_dim] +
         row * tensor->strides[row_dim];
}

/* One row of the result: scores in `p`, which has room for each key. */
static void defineRow(const uint16_t *q, const uint16_t *k, const uint16_t *v,
                      int64_t keys, int64_t stride, int columns, double scale,
                      int bf16, double *p, double *row) {
  double top = -INFINITY, sum = 0;
  for (int64_t j = 0; j < keys; ++j) {
    double dot = 0;
    for (int d = 0; d < columns; ++d)
      dot += decode(q[d], bf16) * decode(k[j * stride + d], bf16);
    p[j] = dot * scale;
    top = fmax(top, p[j]);
  }
  memset(row, 0, sizeof(double) * (size_t)columns);
  for (int64_t j = 0; j < keys; ++j) {
    double weight = exp(p[j] - top);
    sum += weight;
    for (int d = 0; d < columns; ++d)
      row[d] += weight * decode(v[j * stride + d], bf16);
  }
  for (int d = 0; keys > 0 && d < columns; ++d)
    row[d] /= sum;
}

double relativeError(const Tensor *q, const Tensor *k, int grouped,
                     double scale, const uint16_t *host_q,
                     const uint16_t *host_k, const uint16_t *host_v,
                     const uint16_t *host_o) {
  int head_dim = grouped ? 2 : 1, row_dim = grouped ? 1 : 2;
  int columns = (int)q->sizes[3];
  int64_t heads = q->sizes[head_dim], queries = q->sizes[row_dim];
  int64_t keys = k->sizes[row_dim], share = heads / k->sizes[head_dim];
  int64_t rows = q->sizes[0] * heads * queries;
  int64_t step = rows / 400 + 1; /* with the last row */
  double *p = malloc(sizeof(double) * (size_t)keys), row[128];
  double wrong = 0, all = 0;
  for (int64_t r = rows - 1; r >= 0; r -= step) {
    int64_t i = r % queries, h = r / queries % heads, b = r / queries / heads;
    int64_t kept = grouped ? i + keys - queries + 1 : keys;
    kept = kept < 0 ? 0 : kept > keys ? keys : kept;
    int64_t at = rowAt(q, grouped, b, h, i);
    int64_t first = rowAt(k, grouped, b, h / share, 0);
    defineRow(host_q + at, host_k + first, host_v + first, kept,
              k->strides[row_dim], columns, scale, grouped, p, row);
    for (int d = 0; d < columns; ++d) {
      double error = decode(host_o[at + d], grouped) - row[d];
      wrong += error * error;
      all += row[d] * row[d];
    }
  }
  free(p);
  return sqrt(wrong / all);
}
