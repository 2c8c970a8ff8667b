// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hand-made CPU artefact: attention on f16 in its plainest form, one query
// row a tile, with the argument convention of the compiler's kernels. -DWRONG
// forgets the last key.
#include <math.h>
#include <stdint.h>

typedef struct {
  char *data;
  int64_t sizes[4];
  int64_t strides[4];
} Tensor;

static void **next(void **params, Tensor *tensor, int rank) {
  tensor->data = *(char **)*params++;
  for (int d = 0; d < rank; ++d)
    tensor->sizes[d] = *(int64_t *)*params++;
  for (int d = 0; d < rank; ++d)
    tensor->strides[d] = *(int64_t *)*params++;
  return params;
}

static int64_t at(const Tensor *t, int64_t b, int64_t h, int64_t i) {
  return b * t->strides[0] + h * t->strides[1] + i * t->strides[2];
}

static float score(const Tensor *q, const Tensor *k, int64_t b, int64_t h,
                   int64_t hk, int64_t i, int64_t j, float scale) {
  const _Float16 *qr = (const _Float16 *)q->data + at(q, b, h, i);
  const _Float16 *kr = (const _Float16 *)k->data + at(k, b, hk, j);
  float sum = 0;
  for (int64_t d = 0; d < q->sizes[3]; ++d)
    sum += (float)qr[d] * (float)kr[d];
  return scale * sum;
}

void attention(void **params, int64_t tile) {
  Tensor q, k, v, o, lse;
  params = next(params, &q, 4);
  params = next(params, &k, 4);
  params = next(params, &v, 4);
  params = next(params, &o, 4);
  params = next(params, &lse, 3);
  float scale = *(float *)*params;
  int64_t i = tile % q.sizes[2], h = tile / q.sizes[2] % q.sizes[1];
  int64_t b = tile / q.sizes[2] / q.sizes[1];
  int64_t hk = h / (q.sizes[1] / k.sizes[1]), keys = k.sizes[2];
#ifdef WRONG
  keys -= 1;
#endif
  float m = -INFINITY, l = 0, acc[256] = {0};
  for (int64_t j = 0; j < keys; ++j)
    m = fmaxf(m, score(&q, &k, b, h, hk, i, j, scale));
  for (int64_t j = 0; j < keys; ++j) {
    float p = expf(score(&q, &k, b, h, hk, i, j, scale) - m);
    l += p;
    const _Float16 *row = (const _Float16 *)v.data + at(&v, b, hk, j);
    for (int64_t d = 0; d < v.sizes[3]; ++d)
      acc[d] += (float)(_Float16)p * (float)row[d];
  }
  _Float16 *out = (_Float16 *)o.data + at(&o, b, h, i);
  for (int64_t d = 0; d < o.sizes[3]; ++d)
    out[d] = (_Float16)(keys > 0 ? acc[d] / l : 0);
  *((float *)lse.data + at(&lse, b, h, i)) = keys > 0 ? m + logf(l) : -INFINITY;
}
