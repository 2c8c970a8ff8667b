/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program in C99 that uses the runtime: what a user would write. CAbiTest.cpp
 * calls it. */
#include "runtime/fa_runtime.h"

#include <stddef.h>
#include <stdint.h>

/* 1.0 and 0.0 as f16 */
enum { ONE = 0x3C00, ZERO = 0 };

static fa_tensor make(const char *name, void *data, fa_type type,
                      int64_t rows) {
  fa_tensor tensor = {0};
  tensor.name = name;
  tensor.data = data;
  tensor.type = type;
  tensor.rank = type == FA_F32 ? 3 : 4;
  tensor.sizes[0] = tensor.sizes[1] = 1;
  tensor.sizes[2] = rows;
  tensor.sizes[3] = 64;
  tensor.strides[0] = tensor.strides[1] = rows * (type == FA_F32 ? 1 : 64);
  tensor.strides[2] = type == FA_F32 ? 1 : 64;
  tensor.strides[3] = 1;
  tensor.device.kind = FA_CPU;
  return tensor;
}

/* Attends to two equal keys; returns NULL, or what went wrong. */
const char *fa_test_c_program(const char *path) {
  static uint16_t q[64], k[2 * 64], v[2 * 64], o[64];
  static float lse[1];
  fa_artifact *artifact = NULL;
  fa_plan *plan = NULL;
  fa_device cpu = {FA_CPU, 0};
  fa_tensor tensors[5];
  fa_scalar scale = {"scale", FA_F64, {0.5}};
  fa_status status;
  int i;
  for (i = 0; i < 64; ++i) {
    q[i] = k[i] = k[64 + i] = v[i] = v[64 + i] = ONE;
    o[i] = ZERO;
  }
  tensors[0] = make("q", q, FA_F16, 1);
  tensors[1] = make("k", k, FA_F16, 2);
  tensors[2] = make("v", v, FA_F16, 2);
  tensors[3] = make("o", o, FA_F16, 1);
  tensors[4] = make("lse", lse, FA_F32, 1);
  if (fa_version() / 1000 != FA_RUNTIME_VERSION / 1000)
    return "another major version";
  status = fa_artifact_open(path, &artifact);
  if (status == FA_OK)
    status = fa_prepare(artifact, cpu, tensors, 5, &scale, 1, NULL, &plan);
  if (status == FA_OK)
    status = fa_launch(plan, NULL);
  if (status != FA_OK)
    return fa_last_error();
  for (i = 0; i < 64; ++i)
    if (o[i] != ONE)
      return "o is wrong";
  /* 0.5 * 64 + ln 2 */
  if (!(lse[0] > 32.693f && lse[0] < 32.694f))
    return "lse is wrong";
  fa_plan_destroy(plan);
  fa_artifact_close(artifact);
  return NULL;
}
