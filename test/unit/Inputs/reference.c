// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hand-made reference artefact for Inputs/attention.c: the definition in
// float64, and `low` with S, P and O rounded to f16. Tensors are contiguous but
// for q, k and v.
#include <math.h>
#include <stdint.h>

enum { DIM = 64, MAX_KEYS = 1024 };

typedef struct {
  const _Float16 *q, *k, *v;
  double *o, *lse;
  int64_t row, keys, stride[2];
  float scale;
} Row;

static int64_t size(void **params, int i) { return *(int64_t *)params[i]; }

/// Parameters: q, k, v, o, lse, q's sizes 1 and 2, k's sizes 1 and 2, scale,
/// and the strides 0, 1, 2 of q, k and v.
static Row find(void **params, int64_t tile) {
  int64_t heads = size(params, 5), rows = size(params, 6);
  int64_t i = tile % rows, h = tile / rows % heads, b = tile / rows / heads;
  int64_t hk = h / (heads / size(params, 7));
  Row row;
  row.q = *(_Float16 **)params[0] + b * size(params, 10) +
          h * size(params, 11) + i * size(params, 12);
  row.k =
      *(_Float16 **)params[1] + b * size(params, 13) + hk * size(params, 14);
  row.v =
      *(_Float16 **)params[2] + b * size(params, 16) + hk * size(params, 17);
  row.o = *(double **)params[3] + tile * DIM;
  row.lse = *(double **)params[4] + tile;
  row.keys = size(params, 8);
  row.scale = *(float *)params[9];
  row.stride[0] = size(params, 15);
  row.stride[1] = size(params, 18);
  return row;
}

void reference(void **params, int64_t tile) {
  Row row = find(params, tile);
  double s[MAX_KEYS], m = -INFINITY, l = 0;
  for (int64_t j = 0; j < row.keys; ++j) {
    s[j] = 0;
    for (int d = 0; d < DIM; ++d)
      s[j] += (double)row.q[d] * (double)row.k[j * row.stride[0] + d];
    s[j] *= (double)row.scale;
    m = fmax(m, s[j]);
  }
  for (int d = 0; d < DIM; ++d)
    row.o[d] = 0;
  for (int64_t j = 0; j < row.keys; ++j)
    l += exp(s[j] - m);
  for (int64_t j = 0; j < row.keys; ++j)
    for (int d = 0; d < DIM; ++d)
      row.o[d] += exp(s[j] - m) / l * (double)row.v[j * row.stride[1] + d];
  *row.lse = m + log(l);
}

void low(void **params, int64_t tile) {
  Row row = find(params, tile);
  float s[MAX_KEYS], m = -INFINITY, l = 0;
  for (int64_t j = 0; j < row.keys; ++j) {
    float sum = 0;
    for (int d = 0; d < DIM; ++d)
      sum += (float)row.q[d] * (float)row.k[j * row.stride[0] + d];
    s[j] = (float)(_Float16)(sum * row.scale);
    m = fmaxf(m, s[j]);
  }
  for (int64_t j = 0; j < row.keys; ++j)
    l += expf(s[j] - m);
  for (int d = 0; d < DIM; ++d) {
    float sum = 0;
    for (int64_t j = 0; j < row.keys; ++j)
      sum += (float)(_Float16)(expf(s[j] - m) / l) *
             (float)row.v[j * row.stride[1] + d];
    row.o[d] = (double)(_Float16)sum;
  }
  *row.lse = 0;
}
