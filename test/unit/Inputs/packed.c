// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hand-made CPU artefact: packed sequences in bf16 with a sink, causal from
// the bottom right; a tile is one row of q and one head. Tensors are
// contiguous. -DSPILL also writes the rows past the last offset.
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { DIM = 16 };

static float load(const uint16_t *p) {
  uint32_t bits = (uint32_t)*p << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static uint16_t round16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

void packed(void **params, int64_t tile) {
  const uint16_t *q = *(uint16_t **)params[0], *k = *(uint16_t **)params[1];
  const uint16_t *v = *(uint16_t **)params[2];
  uint16_t *o = *(uint16_t **)params[3];
  float *lse = *(float **)params[4], sink;
  const int32_t *qo = *(int32_t **)params[5], *ko = *(int32_t **)params[6];
  int64_t rows = *(int64_t *)params[8], heads = *(int64_t *)params[9];
  int64_t kvHeads = *(int64_t *)params[10], count = *(int64_t *)params[11] - 1;
  float scale = *(float *)params[12];
  int64_t row = tile / heads, h = tile % heads, hk = h / (heads / kvHeads),
          b = 0;
  sink = (*(float **)params[7])[h];
  while (b < count && row >= qo[b + 1])
    ++b;
#ifdef SPILL
  if (b == count)
    o[(row * heads + h) * DIM] = 0;
#endif
  if (b == count)
    return;
  int64_t length = ko[b + 1] - ko[b];
  int64_t last = row - qo[b] + length - (qo[b + 1] - qo[b]);
  float sum = expf(sink), acc[DIM] = {0};
  for (int64_t j = 0; j < length && j <= last; ++j) {
    int64_t key = ((ko[b] + j) * kvHeads + hk) * DIM;
    float s = 0;
    for (int d = 0; d < DIM; ++d)
      s += load(q + (row * heads + h) * DIM + d) * load(k + key + d);
    float p = expf(s * scale), rounded;
    uint16_t bits = round16(p);
    rounded = load(&bits);
    sum += p;
    for (int d = 0; d < DIM; ++d)
      acc[d] += rounded * load(v + key + d);
  }
  for (int d = 0; d < DIM; ++d)
    o[(row * heads + h) * DIM + d] = round16(acc[d] / sum);
  lse[h * rows + row] = logf(sum);
}
