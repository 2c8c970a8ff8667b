// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/TensorMap.h"

#include <algorithm>

namespace fa::rt {
namespace {

template <typename... Args>
Status refusal(const std::string &tensor, const Args &...args) {
  return failure(FA_UNSUPPORTED, tensor, ": for a tensor map ", args...);
}

int elementType(fa_type type) {
  switch (type) {
  case FA_F16:
    return cuda::TensorMapF16;
  case FA_BF16:
    return cuda::TensorMapBF16;
  default:
    return cuda::TensorMapF32; // the manifest's reader lets no other through
  }
}

int swizzleCode(int bytes) {
  return bytes == 128  ? cuda::TensorMapSwizzle128
         : bytes == 64 ? cuda::TensorMapSwizzle64
         : bytes == 32 ? cuda::TensorMapSwizzle32
                       : cuda::TensorMapSwizzleNone;
}

bool hasElements(const TensorValue &tensor) {
  return std::find(tensor.sizes, tensor.sizes + tensor.rank, 0) ==
         tensor.sizes + tensor.rank;
}

/// The stride in bytes as the hardware takes it.
Status strideBytes(const TensorSpec &spec, const TensorValue &tensor, int dim,
                   uint64_t &result) {
  // Of a dimension with one element no stride is ever taken; the caller's may
  // be anything.
  result = cuda::tensorMapAlignment;
  if (tensor.sizes[dim] <= 1)
    return {};
  int64_t stride = tensor.strides[dim], bytes = 0;
  // A stride of 0 is as good as any to the hardware: all rows are one.
  bool fits = !__builtin_mul_overflow(
                  stride, static_cast<int64_t>(typeBytes(spec.type)), &bytes) &&
              bytes >= 0 && bytes < cuda::tensorMapStrideEnd &&
              bytes % cuda::tensorMapAlignment == 0;
  if (!fits)
    return refusal(spec.name, "expects strides of a multiple of ",
                   cuda::tensorMapAlignment,
                   " bytes from 0 to below 2^40, got ", stride, " elements of ",
                   typeBytes(spec.type), " bytes in dimension ", dim);
  result = static_cast<uint64_t>(bytes);
  return {};
}

} // namespace

Status TensorMaps::layOut(const TensorSpec &spec, const TensorValue &tensor,
                          const ParamSpec &param, Layout &layout) {
  int last = tensor.rank - 1;
  // Columns, rows, then the others from the last to the first.
  int order[5] = {last, param.dim};
  int count = 2;
  for (int dim = last - 1; dim >= 0; --dim)
    if (dim != param.dim)
      order[count++] = dim;
  bool empty = !hasElements(tensor);
  if (!empty && tensor.sizes[last] > 1 && tensor.strides[last] != 1)
    return refusal(spec.name, "expects stride 1 in the last dimension, got ",
                   tensor.strides[last]);
  layout.type = elementType(spec.type);
  layout.rank = static_cast<unsigned>(count);
  layout.swizzle = swizzleCode(param.box.swizzleBytes);
  for (int i = 0; i < count; ++i) {
    int64_t size = tensor.sizes[order[i]];
    if (size > cuda::tensorMapMaxSize)
      return refusal(spec.name, "expects sizes up to 2^32, got ", size,
                     " in dimension ", order[i]);
    // No kernel reads through the map of an empty tensor, but it has to be one.
    layout.sizes[i] = empty ? 1 : static_cast<uint64_t>(size);
    layout.box[i] = 1;
    if (i == 0)
      continue;
    layout.strides[i - 1] = cuda::tensorMapAlignment;
    if (empty)
      continue;
    if (Status s = strideBytes(spec, tensor, order[i], layout.strides[i - 1]))
      return s;
  }
  layout.box[0] = static_cast<uint32_t>(param.box.columns);
  layout.box[1] = static_cast<uint32_t>(param.box.rows);
  return {};
}

Status TensorMaps::encode(const Driver &driver, const Map &map,
                          const void *address, cuda::TensorMap &encoded) {
  constexpr uint32_t ones[5] = {1, 1, 1, 1, 1};
  const Layout &layout = map.layout;
  auto base = reinterpret_cast<uintptr_t>(address);
  if (map.empty)
    base -= base % cuda::tensorMapAlignment;
  if (base % cuda::tensorMapAlignment)
    return failure(FA_INVALID_ARGUMENT, *map.name,
                   ": for a tensor map expects an address aligned to ",
                   cuda::tensorMapAlignment, " bytes, got ", address);
  Status status = driver.check(
      driver.api.tensorMapEncode(
          &encoded, layout.type, layout.rank, reinterpret_cast<void *>(base),
          layout.sizes, layout.strides, layout.box, ones,
          cuda::TensorMapInterleaveNone, layout.swizzle,
          cuda::TensorMapPromoteTo256, cuda::TensorMapFillZeros),
      "cuTensorMapEncodeTiled");
  if (!status)
    return {};
  return failure(status.code(), *map.name, ": ", status.text());
}

Status TensorMaps::build(const Driver &driver, const Manifest &manifest,
                         const KernelSpec &kernel, const TensorValue *tensors) {
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ParamSpec &param = kernel.params[i];
    if (param.kind != ParamSpec::Kind::TensorMap)
      continue;
    const TensorSpec &spec = manifest.tensors[param.index];
    const TensorValue &tensor = tensors[param.index];
    if (!driver.api.tensorMapEncode)
      return failure(FA_UNSUPPORTED, "kernel '", kernel.name, "' takes '",
                     spec.name,
                     "' as a tensor map, and the CUDA driver has no "
                     "cuTensorMapEncodeTiled: it needs one of CUDA 12.0 or "
                     "newer");
    Map map = {i,           param.index, &spec.name, !hasElements(tensor),
               tensor.data, {},          {}};
    if (Status s = layOut(spec, tensor, param, map.layout))
      return s;
    if (Status s = encode(driver, map, map.address, map.encoded))
      return s;
    maps.push_back(map);
  }
  return {};
}

Status TensorMaps::place(const Driver &driver, const TensorValue *tensors,
                         cuda::TensorMap *moved, void **params) const {
  for (const Map &map : maps) {
    const void *address = tensors[map.tensor].data;
    // The driver copies parameters and never writes them.
    params[map.param] = const_cast<cuda::TensorMap *>(&map.encoded);
    if (address == map.address || map.empty)
      continue;
    if (Status s = encode(driver, map, address, *moved))
      return s;
    params[map.param] = moved++;
  }
  return {};
}

} // namespace fa::rt
