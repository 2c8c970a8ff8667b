/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tensors of main.c: 4-D memrefs of f16 with 128 columns, or of bf16 with 64,
 * dense in memory; and the definition of attention on them. */
#ifndef FA_TEST_GPU_LAUNCH_FUNC_TENSOR_H
#define FA_TEST_GPU_LAUNCH_FUNC_TENSOR_H

#include <stdint.h>

/* A memref, as compiled functions take it. */
typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizes[4], strides[4];
} Tensor;

/* (batch, head, row, column), or where `grouped` (batch, row, head, column). */
Tensor layOut(int grouped, int64_t batches, int64_t heads, int64_t rows);
int64_t elements(const Tensor *tensor);

/* Bits of bf16 where `grouped`, else of f16. */
uint16_t *randomElements(const Tensor *tensor, int grouped, unsigned seed);

/* Of `o` against the definition in double, in the norm of all rows looked at:
 * some hundred, spread over the tensor. Causal, from the last query back,
 * where `grouped`. */
double relativeError(const Tensor *q, const Tensor *k, int grouped,
                     double scale, const uint16_t *host_q,
                     const uint16_t *host_k, const uint16_t *host_v,
                     const uint16_t *host_o);

#endif
